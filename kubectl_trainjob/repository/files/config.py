"""`trainjob.yaml`: what a team has agreed on for its repository.

Kind `Config` of kubectl-trainjob.dev/v1alpha1. A setting that has no effect yet is rejected, not ignored.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kubectl_trainjob.kube.facts.kinds import CONFIG
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.supported import EMITS, SUPPORTED_TARGETS, supported_version
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.message import joined, say
from kubectl_trainjob.model.rules import INVALID_SETTING, UNSUPPORTED_TARGET, Severity
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.units import AllowSettings, LintSettings, OmeSettings, PathRules, TuningSettings
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.settings import HEAD, HEADLESS, Fields
from kubectl_trainjob.repository.yaml.read import read_stream

_SETTINGS = (
    *("target", "emit", "runtimes", "catalog", "deploy", "ignore", "limits"),
    *("lint", "delivery", "ome", "tuning", "allow"),
)
_LINT_SETTINGS = ("select", "ignore", "severity", "perPath", "schedulers")
DELIVERIES = ("argocd", "flux", "kubectl")
_MODEL_ACCESS = ("hostPath", "pvPvc")
_OME_PAIRS = ("initializers", "exporters", "models")
_TRIALS = ("trainjob", "jobset")
_MOST_TRIALS = 10_000  # a branch must not be able to keep a build busy for hours
_LARGEST = 1 << 53
_LONGEST = 3600  # seconds
_MOST_PATTERNS = 100  # each is compared with each file


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one root; `trainer` and `emit` are "" where they are not set.

    `source` is the document, None without such a file.
    """

    trainer: str = ""
    emit: str = ""
    runtimes: tuple[str, ...] = ("runtimes",)
    catalog: bool = False
    deploy: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    lint: LintSettings = field(default_factory=LintSettings)
    ome: OmeSettings = field(default_factory=OmeSettings)
    tuning: TuningSettings = field(default_factory=TuningSettings)
    allow: AllowSettings = field(default_factory=AllowSettings)
    source: Source | None = None

    def is_in(self, file: SourceFile) -> bool:
        """Whether these settings are those of a file, or of one with the same text."""
        return self.source is not None and self.source.file.text == file.text

    def limited(self, limits: Limits, *, raises: bool = True) -> Limits:
        """`limits` with those that are set here; without `raises`, only the lower ones."""
        chosen = {name: most for name, most in self.limits.items() if raises or most < getattr(limits, name)}
        return replace(limits, **chosen) if chosen else limits


def read_config(file: SourceFile) -> tuple[Config, list[Diagnostic]]:
    """The settings, and their errors; with an error, all have their defaults."""
    reading = read_stream(file)
    if reading.diagnostics:
        return Config(source=Source(file)), reading.diagnostics
    if len(reading.objects) != 1:
        place = Place(Source(file, 1 if reading.objects else 0))
        message = say("trainjob.yaml must contain one document of kind Config")
        return Config(), [Diagnostic(INVALID_SETTING, message, place)]
    body, source = reading.objects[0]
    if body.get("apiVersion") is None and body.get("kind") is None:
        return Config(source=source), [Diagnostic(INVALID_SETTING, say(HEADLESS), Place(source))]
    settings = Fields(body, Place(source), INVALID_SETTING, [])
    config = _config(settings, source)
    return (Config(source=source), settings.found) if settings.found else (config, [])


def _config(settings: Fields, source: Source) -> Config:
    settings.reject_unknown((*HEAD, *_SETTINGS))
    settings.reject_other_head(CONFIG, CONFIG_FILE)
    return Config(
        trainer=_trainer(settings),
        emit=settings.text("emit", EMITS),
        runtimes=_runtimes(settings),
        catalog=settings.flag("catalog"),
        deploy=_deploy(settings),
        ignore=_ignore(settings),
        limits=_limits(settings),
        lint=lint_settings(settings),
        ome=_ome(settings.below("ome")),
        tuning=_tuning(settings.below("tuning")),
        allow=_allow(settings.below("allow")),
        source=source,
    )


def _ome(settings: Fields) -> OmeSettings:
    settings.reject_unknown(("initializers", "exporters", "modelAccess", "models", "output"))
    output = settings.below("output")
    output.reject_unknown(("claimName",))
    initializers, exporters, models = (tuple(settings.pairs(each).items()) for each in _OME_PAIRS)
    access = settings.text("modelAccess", _MODEL_ACCESS) or OmeSettings().model_access
    return OmeSettings(initializers, exporters, access, models, output.text("claimName"))


def _tuning(settings: Fields) -> TuningSettings:
    settings.reject_unknown(("maxTrials", "trial"))
    usual = TuningSettings()
    most = settings.body.get("maxTrials", usual.max_trials)
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= _MOST_TRIALS:
        settings.reject(say("tuning.maxTrials must be an integer from 1 to {}", _MOST_TRIALS), "maxTrials")
        most = usual.max_trials
    return TuningSettings(most, settings.text("trial", _TRIALS) or usual.trial)


def _allow(settings: Fields) -> AllowSettings:
    settings.reject_unknown(("elastic", "extendedMpi"))
    return AllowSettings(settings.flag("elastic"), settings.flag("extendedMpi"))


def _trainer(settings: Fields) -> str:
    target = settings.below("target")
    target.reject_unknown(tuple(SUPPORTED_TARGETS))
    specified = {product: target.text(product) for product in SUPPORTED_TARGETS}
    for product, version in specified.items():
        supported = SUPPORTED_TARGETS[product]
        if version and not supported_version(product, version):
            message = say('{} "{}" is not supported; supported: {}', say(product), version, joined(map(say, supported)))
            target.found.append(Diagnostic(UNSUPPORTED_TARGET, message, target.place.child(product)))
    return supported_version("trainer", specified["trainer"])


def _runtimes(settings: Fields) -> tuple[str, ...]:
    if "runtimes" not in settings.body:
        return Config().runtimes
    folders = settings.texts("runtimes")
    listed = settings.body["runtimes"] if folders else ()
    first = {each: index for index, each in reversed([*enumerate(listed)]) if isinstance(each, str)}
    for folder in folders:
        if not _is_below(folder):
            message = say('"{}" is not a directory in the repository; write a path such as platform/runtimes', folder)
            settings.reject(message, "runtimes", first[folder])
    return tuple(map(posixpath.normpath, folders))


def _is_below(folder: str) -> bool:
    return (
        posixpath.normpath(folder) != "."
        and not folder.startswith("/")
        and ".." not in folder.split("/")
        and "\0" not in folder
    )


def _deploy(settings: Fields) -> tuple[str, ...]:
    patterns = settings.texts("deploy")
    for index, pattern in enumerate(patterns):
        if pattern != "." and not _is_below(pattern):
            message = say('"{}" is not a path in the repository; write one such as "overlays/*" or jobs', pattern)
            settings.reject(message, "deploy", index)
    return patterns


def _ignore(settings: Fields) -> tuple[str, ...]:
    patterns = settings.texts("ignore")
    if len(patterns) > _MOST_PATTERNS:
        message = say("ignore has more than {} patterns, the limit; ignore whole directories", _MOST_PATTERNS)
        settings.reject(message, "ignore")
        return ()
    for index, pattern in enumerate(patterns):
        if not pattern.strip("/") or ".." in pattern.split("/") or pattern.startswith("!"):
            message = say(
                '"{}" is not a pattern of paths below the root; write one such as charts/** or "*.tmpl.yaml"', pattern
            )
            settings.reject(message, "ignore", index)
    return patterns


def _limits(settings: Fields) -> dict[str, int]:
    specified = settings.below("limits")
    names = {_camel(each.name): each.name for each in fields(Limits) if each.name != "depth"}
    specified.reject_unknown(tuple(names))
    found = {name: _size(specified, spelled) for spelled, name in names.items() if spelled in specified.body}
    return {name: size or getattr(LIMITS, name) for name, size in found.items()}


def _size(specified: Fields, name: str) -> int:
    """An integer, or a quantity such as 64Mi."""
    size = _whole(specified.body[name])
    if name.endswith("Seconds") and size > _LONGEST:
        specified.reject(say("limits.{} must be at most {}", say(name), _LONGEST), name)
    if not 0 < size <= _LARGEST:
        message = say("limits.{} must be an integer of at least 1, or a quantity such as 64Mi", say(name))
        specified.reject(message, name)
    return size


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return 0
    try:
        return Quantity.parse(value).value()
    except QuantityError:
        return 0


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def lint_settings(settings: Fields) -> LintSettings:
    """The configuration of lint; errors are reported in `settings`."""
    specified = settings.below("lint")
    specified.reject_unknown(_LINT_SETTINGS)
    per_path = specified.below("perPath")
    return LintSettings(
        select=specified.texts("select"),
        ignore=specified.texts("ignore"),
        severity=_severities(specified),
        per_path=tuple(_path_rules(pattern, per_path.below(pattern)) for pattern in per_path.body),
        schedulers=specified.texts("schedulers"),
        delivery=settings.text("delivery", DELIVERIES),
    )


def _severities(specified: Fields) -> tuple[tuple[str, str], ...]:
    below = specified.below("severity")
    return tuple((rule, level) for rule in below.body if (level := below.text(rule, tuple(Severity))))


def _path_rules(pattern: str, specified: Fields) -> PathRules:
    specified.reject_unknown(("ignore", "severity"))
    return PathRules(pattern, specified.texts("ignore"), _severities(specified))
