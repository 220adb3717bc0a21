from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest

from kubectl_trainjob.model.finding import LintReport
from kubectl_trainjob.report.lint.junit import as_junit
from tests.unit.report.lint import junit_shape, reports
from tests.unit.report.lint.reports import at, report, result, shared


def tree(of: LintReport) -> Element:
    root = fromstring(as_junit(of).encode())
    assert junit_shape.problems(root) == []
    cases = list(root.iter("testcase"))
    failures = list(root.iter("failure"))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == (str(len(cases)), str(len(failures)), "0")
    for suite in root:
        assert suite.get("tests") == str(len(suite))
        assert suite.get("failures") == str(len(list(suite.iter("failure"))))
        assert suite.get("skipped") == str(len(list(suite.iter("skipped"))))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)
    return root


@pytest.mark.parametrize("of", reports.EXAMPLES.values(), ids=reports.EXAMPLES.keys())
def test_the_shape(of: LintReport) -> None:
    assert len(tree(of)) >= 1


def test_a_suite_for_each_file_and_a_case_for_each_finding() -> None:
    root = tree(reports.mixed())
    assert [suite.get("name") for suite in root] == ["jobs/mnist.yaml", "runtimes/torch.yaml", "not checked"]
    assert [case.get("name") for case in root[0]] == [
        "KTJ301 extended-resource-limit-missing at 14:11",
        "KTJ506 mpi-extra-node at 14:11",
        "KTJ901 image-tag-missing at 14:11",
        "KTJ950 no-deadline at 14:11",
    ]
    assert {case.get("classname") for case in root[0]} == {"jobs/mnist.yaml"}


def test_what_fails_says_why() -> None:
    failure = tree(report(reports.full())).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.attrib == {"type": "error", "message": '"nvidia.com/gpu" has no limit; add one'}
    assert (failure.text or "").splitlines()[1:] == [
        'jobs/mnist.yaml:14:11: error KTJ301 extended-resource-limit-missing: "nvidia.com/gpu" has no limit; add one',
        "            nvidia.com/gpu: 1",
        "            ^~~~~~~~~~~~~~",
        "runtimes/torch.yaml:3:5: note: the runtime stands here",
    ]


def test_info_passes_and_what_could_not_be_judged_is_skipped() -> None:
    root = tree(report(result(reports.HINT, "hm"), unchecked=(reports.CAUSE,)))
    reported = root.find("testsuite/testcase/system-out")
    assert reported is not None
    assert "info KTJ950 no-deadline: hm" in (reported.text or "")
    skipped = root.find("testsuite/testcase/skipped")
    assert skipped is not None
    assert skipped.get("message") == reports.CAUSE.cause


def test_one_case_passes_when_nothing_was_found() -> None:
    (case,) = tree(report()).iter("testcase")
    assert len(case) == 0
    assert case.get("name") == "no problems in 12 TrainJobs"


def test_two_findings_of_a_rule_at_one_place_have_names_of_their_own() -> None:
    cases = list(tree(report(result(message="a"), result(message="b"))).iter("testcase"))
    assert [case.get("name") for case in cases] == [
        "KTJ301 extended-resource-limit-missing at 14:11",
        "KTJ301 extended-resource-limit-missing at 14:11 (2)",
    ]


def test_a_mistake_that_many_objects_share_is_one_case() -> None:
    (case,) = tree(report(*shared(["a", "b"]))).iter("testcase")
    assert "note: in TrainJob a and b" in "".join(case.itertext())


def test_files_keep_their_findings_together() -> None:
    results = [result(position=at("a"), message="1"), result(position=at("b")), result(position=at("a"), message="2")]
    assert [len(suite) for suite in tree(report(*results))] == [2, 1]
