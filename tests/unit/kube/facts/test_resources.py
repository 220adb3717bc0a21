"""GPUs and CPUs of a node: the cases of GetNumGPUPerNode and getNumCPUPerNode of trainer, read off its code."""

import pytest

from kubectl_trainjob.kube.facts.resources import cpu_count, gpu_count, names_gpu


@pytest.mark.parametrize(
    ("requests", "limits", "number", "amounts"),
    [
        pytest.param({}, {}, 0, [], id="nothing"),
        pytest.param({"nvidia.com/gpu": "4"}, {"nvidia.com/gpu": "8"}, 4, ["requests"], id="the request"),
        pytest.param({"cpu": "9"}, {"nvidia.com/gpu": 8}, 8, ["limits"], id="the limit"),
        pytest.param({"gpu": 0}, {"gpu": 2}, 2, ["limits", "requests"], id="a request of nothing"),
        pytest.param({"gpu": 0}, {"gpu": 0}, 0, ["limits", "requests"], id="nothing twice"),
        pytest.param({"a/gpu": 0, "b/gpu": 4}, {}, 0, ["requests"], id="the first name alone"),
        pytest.param({"gpu": -1}, {"gpu": 2}, -1, ["requests"], id="a negative request"),
        pytest.param({}, {"gpu": -1}, 0, ["limits"], id="a negative limit"),
        pytest.param({"gpu": "1500m"}, {}, 2, ["requests"], id="rounded up"),
        pytest.param({"nvidia.com/mig-1g.5gb": 2}, {}, 0, [], id="no GPU by its name"),
    ],
)
def test_gpus(requests, limits, number, amounts):
    count = gpu_count({"requests": requests, "limits": limits})
    assert (count.number, [each.field for each in count.amounts]) == (number, amounts)


@pytest.mark.parametrize(
    ("requests", "limits", "number", "amounts"),
    [
        pytest.param({}, {}, 0, [], id="nothing"),
        pytest.param({"cpu": "500m"}, {"cpu": 8}, 1, ["requests"], id="the request, rounded up"),
        pytest.param({"memory": "1Gi"}, {"cpu": 8}, 8, ["limits"], id="the limit"),
        pytest.param({"cpu": "0"}, {"cpu": 3}, 3, ["limits", "requests"], id="a request of nothing"),
        pytest.param({"cpu": -2}, {"cpu": 3}, -2, ["requests"], id="a negative request"),
    ],
)
def test_cpus(requests, limits, number, amounts):
    count = cpu_count({"requests": requests, "limits": limits})
    assert (count.number, [each.field for each in count.amounts]) == (number, amounts)


def test_what_is_not_stated_is_not_counted():
    assert gpu_count({}).number == cpu_count({"requests": None}).number == 0


@pytest.mark.parametrize(("name", "expected"), [("AMD.com/GPU", True), ("nvidia.com/gpu.shared", True), ("cpu", False)])
def test_names(name, expected):
    assert names_gpu(name) is expected


def test_an_amount_reads_as_it_is_written():
    (amount,) = gpu_count({"limits": {"nvidia.com/gpu": 4}}).amounts
    assert (str(amount), amount.pieces) == ("nvidia.com/gpu: 4", 4)
