"""What `integrations` prints."""

import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.integrations.files import content


def test_the_controller_is_installed_by_one_command(capfdbinary):
    assert run("kubectl-trainjob", ["integrations", "controller"]) == 0
    printed = capfdbinary.readouterr().out
    assert printed == content("controller", "install")
    kinds = [each["kind"] for each in yaml.safe_load_all(printed)]
    assert kinds[:2] == ["CustomResourceDefinition", "Namespace"]
    assert kinds[-2:] == ["Deployment", "Service"]
