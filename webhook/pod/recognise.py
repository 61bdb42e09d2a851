"""Finds the engine's launch in a container: exec form, shell form, or the image's own entry point."""

from collections.abc import Mapping, Sequence

import msgspec

from webhook.pod.effort import Effort, TooLongError
from webhook.pod.engines.reading import Reading
from webhook.pod.environment import Environment
from webhook.pod.expansion import expand_each, reference
from webhook.pod.facts import Launch
from webhook.pod.images import program_of_image, program_of_sagemaker
from webhook.pod.prefixes import Unwrapped, unwrap
from webhook.pod.programs import Program, program_of
from webhook.pod.shell.interpreter import Interpreter
from webhook.pod.shell.invocation import ShellLine, read_shell_line
from webhook.pod.shell.variables import Variables
from webhook.pod.shell.watcher import Start
from webhook.pod.unknown import holes, known
from webhook.pod.view import Container

_DEEPEST = 8
_SYNTAX = "its script has a syntax error"


class Recognition(msgspec.Struct, frozen=True, kw_only=True):
    """What a container launches, as far as it can be told.

    `launch` is None where no engine is launched, or where two different ones may be. `undecidable`, `model_problem`
    and `model_undecided` are as in `Reading`. `assigned` are the names that the launch line or its script sets, with
    the value that the engine will find, or None where that is not known; where it may have set others too, the pod's
    own are among them. `forgotten` and `open_files` are as in `Environment`, the most careful of several launches.
    """

    launch: Launch | None = None
    undecidable: str | None = None
    model_problem: str | None = None
    model_undecided: bool = False
    assigned: Mapping[str, str | None] = {}
    forgotten: bool = False
    open_files: int | None = None


class _Found(msgspec.Struct, frozen=True):
    reading: Reading
    environment: Environment
    problem: str | None


class _Trace:
    """Follows everything that a container's command line starts, and keeps what launches an engine."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.found: list[_Found] = []
        self.names: set[str] = set()
        self.problem: str | None = None
        # What may be a launch all the same, if none was found.
        self.suspicion: str | None = None
        self._depth = 0

    def started(self, start: Start) -> None:
        """Follows one program that a script starts."""
        problem = None
        if start.broken:
            problem = _SYNTAX
        elif not start.certain:
            problem = "the launch stands in a branch or a loop"
        self.follow(unwrap(start.argv), start.environment, start.input, problem)

    def assigned(self, name: str) -> None:
        """Notes a name that a script sets."""
        self.names.add(name)

    def broken(self, text: str) -> None:
        """Notes bad syntax: a launch in the same script is not acted on, whether before it or behind it."""
        self.problem = _SYNTAX
        if "vllm" in text or "sglang" in text:
            self.suspicion = _SYNTAX

    def unread(self, text: str) -> None:
        """Notes a text that cannot be followed, and may be the launch if there is no other."""
        self.suspicion = f"it runs {holes(text) or 'what lies too deep to follow'}"

    def follow(
        self, line: Unwrapped, environment: Environment, text: str | None = None, problem: str | None = None
    ) -> None:
        """Follows one command line: a shell's script, or an engine's launch."""
        self.names.update(line.assigned)
        if line.assigned:
            values = {**environment.values, **line.assigned}
            environment = msgspec.structs.replace(environment, values=values)
        shell = read_shell_line(line.argv)
        if shell is not None:
            self.follow_shell(shell, environment, text, problem)
            return
        program = program_of(line.argv)
        if program is not None:
            cleared = "it clears the environment that the pod sets" if line.cleared else None
            self.keep(program, environment, cleared or problem)

    def keep(self, program: Program, environment: Environment, problem: str | None = None) -> None:
        """Keeps an engine's launch."""
        self.found.append(_Found(program.read(environment.values), environment, problem))

    def follow_shell(
        self, line: ShellLine, environment: Environment, text: str | None = None, problem: str | None = None
    ) -> None:
        """Walks what a shell is asked to run, where that is text."""
        script = line.script if line.file is None and line.script is not None else None
        if line.script is None and line.file is None:
            script = text
        if script is None or self._depth > _DEEPEST:
            return
        variables = Variables(environment, line.arguments, line.name)
        self._depth += 1
        try:
            Interpreter(variables, self, certain=problem is None).run(script)
        except (TooLongError, RecursionError):
            self.problem = self.suspicion = "its script is too long to follow"
        self._depth -= 1


def recognise(container: Container, environment: Environment, effort: Effort, *, gpus: bool) -> Recognition:
    """Reads what a container launches; never raises, for what cannot be read is a problem, in words."""
    trace = _Trace(effort)
    raw = [*(container.command or ()), *(container.args or ())]
    if raw:
        _follow_words(trace, raw, environment)
    if not container.command and not trace.found and trace.suspicion is None:
        program = _entry_point(container, environment, gpus=gpus)
        if program is not None:
            trace.keep(program, environment)
    return _recognition(trace)


def _follow_words(trace: _Trace, raw: Sequence[str], environment: Environment) -> None:
    """Follows a container's words; in a script, a reference that does not resolve is the output of a command."""
    words = list(expand_each(raw, environment.values))
    line = unwrap(words)
    if read_shell_line(line.argv) is not None:
        line = unwrap(list(expand_each(raw, environment.values, reference)))
    trace.follow(line, environment)


def _entry_point(container: Container, environment: Environment, *, gpus: bool) -> Program | None:
    image = container.image or ""
    if not container.args:
        return program_of_sagemaker(image, environment.values)
    words = list(expand_each(container.args, environment.values))
    return program_of_image(image, words, gpus=gpus)


def _recognition(trace: _Trace) -> Recognition:
    if not trace.found:
        return Recognition(undecidable=trace.suspicion)
    first = trace.found[0]
    reading, environments = first.reading, [found.environment for found in trace.found]
    forgotten = any(environment.forgotten for environment in environments)
    problem = trace.problem or next((found.problem for found in trace.found if found.problem), None)
    launch: Launch | None = reading.launch
    if len(trace.found) > 1:
        problem = f"it launches an engine {len(trace.found)} times"
        launch = _common([found.reading.launch for found in trace.found])
    return Recognition(
        launch=launch,
        undecidable=problem or reading.undecidable,
        model_problem=reading.model_problem,
        model_undecided=reading.model_undecided,
        assigned={
            name: known(first.environment.values.get(name))
            for name in sorted(trace.names | first.environment.own if forgotten else trace.names)
        },
        forgotten=forgotten,
        open_files=min((each.open_files for each in environments if each.open_files is not None), default=None),
    )


def _common(launches: Sequence[Launch]) -> Launch | None:
    """What several launches of one engine have in common; None where they are of different engines."""
    first = launches[0]
    if any(launch.engine is not first.engine for launch in launches):
        return None
    differing = [name for name in _COMPARED if len({getattr(launch, name) for launch in launches}) > 1]
    return msgspec.structs.replace(first, **dict.fromkeys(differing))


_COMPARED = (
    "model",
    "load_format",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "data_parallel_size_local",
    "nodes",
    "node_rank",
)
