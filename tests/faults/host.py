"""A host at fault, as far as a process sees it: `sitecustomize.py`, which Python runs before anything else.

SIGUSR1 sets the wall clock forward by ten years, and one host's name does not resolve, without a word to a resolver.
"""

from pathlib import Path

NAMELESS = "store.fastload.test"
YEARS_S = 10 * 365 * 86_400
_CODE = f"""
import signal, socket, time

wall, resolve = time.time, socket.getaddrinfo
jumped = 0.0

def jump(*_):
    global jumped
    jumped = {YEARS_S}.0

def getaddrinfo(host, *arguments, **options):
    if host == {NAMELESS!r}:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return resolve(host, *arguments, **options)

time.time = lambda: wall() + jumped
socket.getaddrinfo = getaddrinfo
signal.signal(signal.SIGUSR1, jump)
"""


def write_host(folder: Path) -> str:
    """Writes the module, and returns the PYTHONPATH that has it."""
    (folder / "sitecustomize.py").write_text(_CODE)
    return str(folder)
