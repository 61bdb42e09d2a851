"""The checks: each looks for one kind of thing that fastload knows in the releases of a project, newest first."""

import re
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.contract.compile_hash import UnreadableError, read_compile_hash
from benchmarks.contract.defaults import Default, defaults_of
from benchmarks.contract.findings import Claim, Findings, Part, Row, Table
from benchmarks.contract.flags import Flag, declared_flags
from benchmarks.contract.knowledge import GRAMMARS, Name, Use, acted_on, injected, known_names
from benchmarks.contract.log_lines import log_lines
from benchmarks.contract.releases import Project
from benchmarks.contract.sources import Sources
from webhook.plan.advice import HASH_IGNORES
from webhook.plan.names import OBJECT_CONCURRENCY, RESUBMIT_WINDOW
from webhook.plan.versions import RESUBMITS_FROM, spell
from webhook.pod.commandline import Arity

Versions = Mapping[str, Sources]
"""The releases of one project by version, newest first."""

# What a folder of compiled things is called.
_CACHE_FOLDER = re.compile(r"[A-Z0-9_]*(?:CACHE|JIT)_(?:[A-Z0-9]+_)?(?:DIR|ROOT|PATH|BASE)")
_SGLANG_ENVIRONMENT = "sglang/srt/environ.py"
_SGLANG_REWRITES = 'startswith("SGL_")'
# The streamer's names that came with one version (webhook/plan/versions.py).
_NEWER = (RESUBMIT_WINDOW, OBJECT_CONCURRENCY)


def check(project: Project, versions: Versions, others: Sequence[Sources]) -> Findings:
    """Makes every check of a project.

    Args:
        project: the project.
        versions: its releases.
        others: the newest releases of the other projects, where a name of this one may stand as well.
    """
    parts = [check_names(project, versions, others)]
    if project is Project.VLLM:
        parts.append(check_hash(versions))
    if project in GRAMMARS:
        parts.append(check_flags(project, versions))
    parts += [check_defaults(project, versions), check_log_lines(project, versions)]
    return Findings(project, tuple(versions), tuple(parts))


def check_names(project: Project, versions: Versions, others: Sequence[Sources]) -> Part:
    """Whether the environment variables are there that fastload sets or heeds."""
    known = known_names(project)
    found = {each.name: tuple(sources.where(each.name) for sources in versions.values()) for each in known}
    rows = tuple(Row(each.name, each.use, found[each.name]) for each in known)
    newest = next(iter(versions))
    unset = tuple(
        f"{each.name} is not in {newest}" for each in known if each.use is Use.SET and not found[each.name][0]
    )
    unheard = tuple(
        f"{each.name} is in no release that was looked at"
        for each in known
        if each.use is Use.HEEDED and not any(found[each.name]) and not _is_elsewhere(project, each, versions, others)
    )
    claims = [
        Claim(f"The newest release knows every name of {project.label}'s own that fastload sets.", unset),
        Claim("Some release knows every name of its own that fastload heeds.", unheard),
    ]
    if project is Project.STREAMER:
        wrong = tuple(_wrong_versions(tuple(versions), found))
        names = " and ".join(_NEWER)
        since = f"with {spell(RESUBMITS_FROM)}"
        claims.append(Claim(f"{names} came {since}; every release has the others that fastload sets.", wrong))
    return Part(Table("Environment", rows), tuple(claims), _unknown_folders(project, versions[newest]))


def _is_elsewhere(project: Project, name: Name, versions: Versions, others: Sequence[Sources]) -> bool:
    """Whether another project has a name, or SGLang makes a name of today's out of one with its old prefix."""
    rewrites = project is Project.SGLANG and name.name.startswith("SGL_")
    return any(other.where(name.name) for other in others) or (
        rewrites and any(each.first((_SGLANG_REWRITES,), _SGLANG_ENVIRONMENT) for each in versions.values())
    )


def _wrong_versions(versions: Sequence[str], found: Mapping[str, Sequence[str | None]]) -> Iterator[str]:
    for name in (*injected(Project.STREAMER), OBJECT_CONCURRENCY):
        for version, where in zip(versions, found[name], strict=True):
            newer = tuple(map(int, re.findall(r"\d+", version)[:3])) >= RESUBMITS_FROM
            if (where is not None) is not (newer or name not in _NEWER):
                yield f"{version} {'has' if where else 'lacks'} {name}"


def _unknown_folders(project: Project, newest: Sources) -> tuple[str, ...]:
    """A note of the cache folders that a release knows and fastload does not."""
    known = {each.name for each in known_names(project)}
    others = sorted(name for name in newest.names if _CACHE_FOLDER.fullmatch(name) and name not in known)
    return (f"Other names of cache folders in the newest release, which fastload leaves alone: {_list(others)}.",)


def check_hash(versions: Versions) -> Part:
    """Whether the names that fastload sets stay out of vLLM's compile hash, and those that it does not warn of."""
    wanted = dict.fromkeys((*(name for project in Project for name in injected(project)), *sorted(HASH_IGNORES)))
    said: dict[str, list[str]] = {name: [] for name in wanted}
    against, never = [], set(wanted)
    for version, sources in versions.items():
        try:
            hashes = read_compile_hash(sources)
        except UnreadableError as error:
            against.append(f"{version}: {error}")
            continue
        never -= hashes.known | hashes.hashed
        for name, words in said.items():
            words.append(hashes.says(name))
            if name in hashes.hashed:
                against.append(f"{version} hashes {name} ({hashes.where})")
    rows = tuple(
        Row(name, "not warned of" if name in HASH_IGNORES else "set", tuple(words))
        for name, words in said.items()
        if name not in never
    )
    claim = Claim("No name that fastload sets, or does not warn of, enters vLLM's compile hash.", tuple(against))
    note = f"Set and not among the variables that vLLM knows, so off the hash: {_list(sorted(never))}."
    return Part(Table("Compile hash", rows, "The key of vLLM's compile cache."), (claim,), (note,))


def check_flags(project: Project, versions: Versions) -> Part:
    """Whether the flags are there that fastload acts on, and whether its table of all flags is whole and right."""
    options, newest = GRAMMARS[project].options, next(iter(versions))
    declared = {version: declared_flags(project, sources) for version, sources in versions.items()}
    rows = tuple(
        Row(name, "acted on", tuple(_place(flags.get(name)) for flags in declared.values()))
        for name in acted_on(project)
    )
    missing = tuple(f"{row.what} is not in {newest}" for row in rows if not row.found[0])
    unknown, other = [], []
    for version, flags in declared.items():
        for name, flag in flags.items():
            option = options.get(name)
            if option is None:
                unknown.append(f"{name} of {version} ({flag.where})")
            elif flag.switch is not None and flag.switch is not (option.arity is Arity.NONE):
                other.append(f"{name} of {version} is {'a' if flag.switch else 'no'} switch ({flag.where})")
    gone = [name for name in options if not any(name in flags for flags in declared.values())]
    counts = ", ".join(f"{len(flags)} in {version}" for version, flags in declared.items())
    return Part(
        Table("Flags", rows),
        (
            Claim("The newest release has every flag that fastload acts on.", missing),
            Claim(f"Every flag of the releases is in fastload's table ({counts}).", tuple(unknown)),
            Claim("The table is right about which flags take no value.", tuple(other)),
        ),
        (f"In the table for other releases, and in none of these: {_list(_without_negatives(gone))}.",),
    )


def _without_negatives(names: Sequence[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith("--no-"))


def _place(flag: Flag | None) -> str | None:
    return None if flag is None else flag.where


def check_defaults(project: Project, versions: Versions) -> Part:
    """Whether the defaults are what the plan takes them to be."""
    rows, claims = [], []
    for default in defaults_of(project):
        found = [default.read(sources) for sources in versions.values()]
        places = tuple(None if each is None else f"{each[0]} ({each[1]})" for each in found)
        rows.append(Row(default.what, default.ours, places))
        values = [None if each is None else each[0] for each in found]
        against = tuple(_differences(default, tuple(versions), values))
        older = f"; older releases may differ: {default.why}" if default.why else ""
        claims.append(Claim(f"The plan is right about the {default.what}{older}.", against))
    return Part(Table("Defaults", tuple(rows), "What the plan relies on."), tuple(claims))


def _differences(default: Default, versions: Sequence[str], values: Sequence[str | None]) -> Iterator[str]:
    """Where a release says something else. The newest must have the thing; one that lacks it says nothing."""
    for number, (version, value) in enumerate(zip(versions, values, strict=True)):
        if value != default.ours and (number == 0 or (value is not None and not default.why)):
            yield f"{version} says {value or 'nothing'}, the plan {default.ours}"


def check_log_lines(project: Project, versions: Versions) -> Part:
    """Whether the lines are logged that a measurement would read."""
    lines, newest = log_lines(project), next(iter(versions))
    places = [sources.first(line.part for line in lines) for sources in versions.values()]
    rows = tuple(Row(line.part.strip(), line.tells, tuple(each.get(line.part) for each in places)) for line in lines)
    missing = tuple(f"{row.what!r} is not in {newest}" for row in rows if not row.found[0])
    claim = Claim("The newest release logs every line that a measurement would read.", missing)
    return Part(Table("Log lines", rows, "What a measurement can read in the log."), (claim,))


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
