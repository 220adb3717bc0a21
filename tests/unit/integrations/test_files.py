"""What `integrations` prints."""

import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.integrations.files import FILES, content


def test_the_controller_is_installed_by_one_command(capfdbinary):
    assert run("kubectl-trainjob", ["integrations", "controller"]) == 0
    printed = capfdbinary.readouterr().out
    assert printed == content("controller", "install")
    kinds = [each["kind"] for each in yaml.safe_load_all(printed)]
    assert kinds[:2] == ["CustomResourceDefinition", "Namespace"]
    assert kinds[-2:] == ["Deployment", "Service"]


def test_each_file_has_one_line_of_the_list(capfd):
    assert run("kubectl-trainjob", ["integrations"]) == 0
    lines = capfd.readouterr().out.splitlines()
    files = [(system, name, file.summary) for system, named in FILES.items() for name, file in named.items()]
    assert [tuple(line.split(maxsplit=2)) for line in lines] == files
