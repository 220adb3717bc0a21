// Empty on purpose: its presence allows the bodiless, linked functions of jobset.go.
