"""`python -m tests.conformance`: look at the recorded cases, hold our build against one, record new ones."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from tests.conformance import cases, upstream
from tests.conformance.cases import Case


def _list(arguments: argparse.Namespace) -> int:
    found = cases.find(arguments.version, arguments.case)
    if arguments.case:
        for case in found:
            verdicts = ", ".join(job["verdict"] for job in case.expected["jobs"])
            rejected = [key for key in ("stream-error", "runtime-findings") if key in case.expected]
            print(f"{case.id:45} {verdicts} {' '.join(rejected)}".rstrip())
    else:
        for group, count in sorted(Counter(case.group for case in found).items()):
            print(f"{group:12} {count:4}")
    print(f"{len(found)} cases", file=sys.stderr)
    return 0


def _show(arguments: argparse.Namespace) -> int:
    for case in cases.find(arguments.version, arguments.case):
        print(f"# {case.id}\n{case.input}\n# expected\n{json.dumps(case.expected, indent=1, ensure_ascii=False)}")
    return 0


def _diff(arguments: argparse.Namespace) -> int:
    from tests.conformance.judge import judge

    failed = 0
    found = cases.find(arguments.version, arguments.case)
    for case in found:
        complaints = judge(case).complaints
        failed += bool(complaints)
        if complaints:
            print(f"== {case.id}", *(() if arguments.brief else complaints), sep="\n", flush=True)
    print(f"{len(found) - failed} of {len(found)} right", file=sys.stderr)
    return 1 if failed else 0


def _unpack(arguments: argparse.Namespace) -> int:
    for case in cases.load(arguments.version):
        folder = Path(arguments.folder) / arguments.version / case.group / case.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "input.yaml").write_text(case.input, encoding="utf-8")
        record = json.dumps(case.expected, indent=1, sort_keys=True, ensure_ascii=False)
        (folder / "expected.json").write_text(record + "\n", encoding="utf-8")
    return 0


def _add(arguments: argparse.Namespace) -> int:
    """Record files as new cases of a group; the numbering goes on where the group ends."""
    known = cases.load(arguments.version)
    number = 1 + max((int(c.name.split("-")[0]) for c in known if c.group == arguments.group), default=-1)
    inputs = {}
    for index, path in enumerate(map(Path, arguments.files)):
        inputs[f"{number + index:03}-{path.stem}"] = path.read_text(encoding="utf-8")
    records = upstream.record(inputs, arguments.version)
    cases.save(arguments.version, [*known, *(Case(arguments.group, n, inputs[n], records[n]) for n in inputs)])
    print(f"{len(inputs)} cases added to {arguments.group}", file=sys.stderr)
    return 0


def _record(arguments: argparse.Namespace) -> int:
    """Record the inputs of cases anew, as a new release of upstream needs it, and report what has changed."""
    known = cases.load(arguments.version)
    wanted = {case.id: case for case in known if case.id.startswith(arguments.case)}
    records = upstream.record({n: case.input for n, case in wanted.items()}, arguments.into or arguments.version)
    changed = [n for n, case in wanted.items() if not upstream.same(case.expected, records[n])]
    print(*changed, sep="\n")
    print(f"{len(changed)} of {len(wanted)} records differ", file=sys.stderr)
    if not arguments.dry_run:
        fresh = [Case(c.group, c.name, c.input, records[c.id] if c.id in changed else c.expected) for c in known]
        cases.save(arguments.into or arguments.version, fresh)
    return 0


def _generate(arguments: argparse.Namespace) -> int:
    """Write the seeded inputs and record them; other groups stay as they are."""
    from tests.conformance.generate import inputs, released, typed

    made = {"mixed": released(arguments.version)}
    if arguments.version == cases.VERSIONS[-1]:
        made |= {"own": inputs(), "typed": typed(upstream.facts())}
    kept = [case for case in cases.load(arguments.version) if case.group not in made]
    for group, streams in made.items():
        records = upstream.record(streams, arguments.version)
        kept += [Case(group, name, streams[name], records[name]) for name in streams]
        print(f"{len(streams)} cases recorded in {group}", file=sys.stderr)
    cases.save(arguments.version, kept)
    return 0


def _explore(arguments: argparse.Namespace) -> int:
    """Record inputs from another seed, hold our build against them, and keep only those that fail, as files."""
    from tests.conformance.generate import inputs, released, typed
    from tests.conformance.judge import judge

    made = {name: text for name, text in inputs(arguments.seed).items() if arguments.topic in name}
    if arguments.typed:
        made = typed(upstream.facts(arguments.version), arguments.seed, arguments.typed)
    if arguments.mixed:
        made = released(arguments.version, arguments.seed, arguments.mixed)
    records = upstream.record(made, arguments.version)
    failed = 0
    for name, text in made.items():
        complaints = judge(Case(f"seed {arguments.seed}", name, text, records[name], arguments.version)).complaints
        failed += bool(complaints)
        if complaints:
            print(f"== {name}", *complaints, sep="\n", flush=True)
        if complaints and arguments.keep:
            Path(arguments.keep).mkdir(parents=True, exist_ok=True)
            Path(arguments.keep, f"{name.partition('-')[2]}-{arguments.seed}.yaml").write_text(text, encoding="utf-8")
    print(f"{len(made) - failed} of {len(made)} right", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: object, summary: str, *, case: bool = True) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=summary, description=summary)
        one.add_argument("--version", default="2.3", choices=cases.VERSIONS, help="Trainer version (default 2.3)")
        if case:
            one.add_argument("case", nargs="?", default="", metavar="GROUP[/NNN]", help="beginning of the cases' ids")
        one.set_defaults(function=function)
        return one

    command("list", _list, "count cases by group; with GROUP list its cases and verdicts")
    command("show", _show, "print inputs and records")
    diff = command("diff", _diff, "build and print what differs from the record (- recorded, + ours)")
    diff.add_argument("--brief", action="store_true", help="names only")
    command(
        "unpack", _unpack, "write every case as FOLDER/VERSION/GROUP/NAME/{input.yaml,expected.json}", case=False
    ).add_argument("folder")
    add = command("add", _add, "record files (one stream each) as new cases of a group; needs Go", case=False)
    add.add_argument("group")
    add.add_argument("files", nargs="+", metavar="FILE")
    again = command("record", _record, "record the inputs of cases anew, print which records change; needs Go")
    again.add_argument("--dry-run", action="store_true", help="change no file")
    again.add_argument("--into", choices=cases.VERSIONS, help="write as the cases of this version")
    command(
        "generate",
        _generate,
        "make the inputs of groups own, typed and mixed from their seed and record them; needs Go",
        case=False,
    )
    explore = command("explore", _explore, "judge inputs from another seed without storing them; needs Go", case=False)
    explore.add_argument("seed")
    explore.add_argument("--topic", default="", help="only topics whose name holds this")
    explore.add_argument("--typed", type=int, metavar="N", help="N inputs filled along Go types instead (from 2.2)")
    explore.add_argument("--mixed", type=int, metavar="N", help="N inputs in the shape of the version instead")
    explore.add_argument("--keep", metavar="FOLDER", help="write the inputs that fail there")
    return parser


def main() -> int:
    """Run one command."""
    arguments = _parser().parse_args()
    return int(arguments.function(arguments))


if __name__ == "__main__":
    sys.exit(main())
