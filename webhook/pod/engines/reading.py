"""What both engines' readers share: the reading itself, and values typed and taken only where they are known."""

from collections.abc import Mapping

import msgspec

from webhook.pod.commandline import CommandLine
from webhook.pod.facts import Engine, Launch, LoaderConfig
from webhook.pod.unknown import holes, is_known, is_undecided, known, masked

LOADER_CONFIG = "--model-loader-extra-config"
CONFIG_FILE = "--config"
# However a launch form names the model, it stands once in the normal form.
MODEL_FLAGS = frozenset({"--model", "--model-path", "--model-id", "--model-dir"})


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A launch line as read, and what stands in the way of acting on it.

    `model_problem` says why the model is not known, and `model_undecided` that the script itself chooses it;
    `undecidable` says what makes the line as a whole uncertain.
    """

    launch: Launch
    model_problem: str | None = None
    model_undecided: bool = False
    undecidable: str | None = None


class Given:
    """The values of a launch line, typed; whatever a config file may still change is not known."""

    def __init__(self, line: CommandLine) -> None:
        self._line = line
        self.config_file = _file(line)

    def integer(self, name: str, default: int | None) -> int | None:
        """An integer flag: its value, the engine's default where it is absent, None where it cannot be told."""
        if name not in self._line.given:
            return default if self.config_file is None else None
        text = self._line.text(name)
        return _integer(text) if text is not None else None

    def load_format(self, model: str | None) -> str | None:
        """The load format as given, or the engine's default, which means nothing without a model."""
        if "--load-format" in self._line.given:
            return known(self._line.text("--load-format"))
        return "auto" if self.config_file is None and model is not None else None

    def loader(self) -> LoaderConfig:
        """The loader's own configuration; dotted keys replace the JSON as a whole, as in vLLM."""
        paths = self._line.dotted.get(LOADER_CONFIG)
        if paths is not None:
            fields = {path: json_of(text) for path, text in paths.items()}
            return _loader(fields if all(map(is_known, paths.values())) else None)
        if LOADER_CONFIG not in self._line.given:
            return LoaderConfig(readable=self.config_file is None)
        text = known(self._line.text(LOADER_CONFIG))
        return _loader(json_of(text) if text is not None else None)


def common_launch(engine: Engine, line: CommandLine, model: str | None, irrelevant: frozenset[str]) -> Launch:
    """The launch as far as both engines spell it alike; `irrelevant` are the flags that cannot change compilation."""
    given = Given(line)
    words, certain = compile_words(line, model, irrelevant)
    nodes = given.integer("--nnodes", 1)
    return Launch(
        engine=engine,
        model=known(model) or None,
        load_format=given.load_format(known(model) or None),
        tensor_parallel_size=given.integer("--tensor-parallel-size", 1),
        pipeline_parallel_size=given.integer("--pipeline-parallel-size", 1),
        data_parallel_size=given.integer("--data-parallel-size", 1),
        nodes=nodes,
        node_rank=given.integer("--node-rank", None if nodes == 1 else 0),
        loader=given.loader(),
        config_file=given.config_file,
        compile_words=words,
        compile_words_known=certain,
    )


def reading_of(launch: Launch, line: CommandLine, model: str | None) -> Reading:
    """The launch with what stands in the way of acting on it."""
    return Reading(
        launch=launch,
        model_problem=model_problem(model, line),
        model_undecided=model is not None and is_undecided(model),
        undecidable=loose_words(line.positionals, model),
    )


def model_problem(model: str | None, line: CommandLine) -> str | None:
    """Why a model is not known, in words; None where it is."""
    if not model:
        if _file(line) is not None:
            return "it is not on the command line, so the config file may name it"
        return f"it may be the word after {line.strange[0]}" if line.swallowed else "the launch line names none"
    if is_known(model):
        return None
    return f"it depends on {holes(model)}, which {'the script decides' if is_undecided(model) else 'is not in the pod'}"


def loose_words(positionals: list[str], model: str | None) -> str | None:
    """What makes a line uncertain: words that may turn out to be any flags at all."""
    loose = [word for word in positionals if not is_known(word) and word is not model]
    return f"words of the launch line come from {holes(loose[0])}" if loose else None


def compile_words(line: CommandLine, model: str | None, irrelevant: frozenset[str]) -> tuple[tuple[str, ...], bool]:
    """The words that can change what is compiled, in normal form, and whether all of them are known."""
    words = (*(() if model is None else (f"--model={model}",)), *line.normal(irrelevant | MODEL_FLAGS))
    return tuple(map(masked, words)), all(map(is_known, words))


def truthy(values: Mapping[str, str], name: str) -> bool:
    """Whether an environment switch is on; unknown counts as off."""
    return values.get(name, "").lower() not in ("", "0", "false") and is_known(values.get(name, ""))


def _file(line: CommandLine) -> str | None:
    value = line.given.get(CONFIG_FILE)
    return (masked(value) if isinstance(value, str) else "") if CONFIG_FILE in line.given else None


def _integer(text: str) -> int | None:
    digits = text.strip().removeprefix("+")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None  # noqa: PLR2004 - digits


def json_of(text: str) -> object:
    """JSON, or the text itself where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def _loader(fields: object) -> LoaderConfig:
    if not isinstance(fields, dict):
        return LoaderConfig(readable=False)
    try:
        return msgspec.convert({name: fields.get(name) for name in _LOADER_FIELDS}, LoaderConfig, strict=True)
    except msgspec.ValidationError:
        return LoaderConfig(readable=False)


_LOADER_FIELDS = ("distributed", "concurrency", "memory_limit", "pattern")
