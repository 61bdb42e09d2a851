"""Small made-up releases: just enough source for the checks to read."""

from pathlib import Path

from benchmarks.contract.sources import Sources

VLLM_ENVS = """
import os
environment_variables = {
    "VLLM_CACHE_ROOT": lambda: os.path.join(os.getenv("VLLM_CACHE_ROOT", "vllm")),
    "VLLM_ASSETS_CACHE": lambda: os.getenv("VLLM_ASSETS_CACHE", os.path.join("vllm", "assets")),
    "VLLM_USE_FAST": lambda: os.getenv("VLLM_USE_FAST"),
}

def compile_factors():
    ignored_factors: set[str] = {"VLLM_CACHE_ROOT", "VLLM_ASSETS_CACHE"}
    ray_noset_env_vars = ["RAY_NOSET"]
"""
VLLM_ENVS_TO_0_11 = """
environment_variables = {"VLLM_CACHE_ROOT": None, "VLLM_USE_FAST": None}

def compute_hash():
    environment_variables_to_hash = ["VLLM_USE_FAST"]
"""
VLLM_ARGUMENTS = """
def add_cli_args(parser):
    model_kwargs = get_kwargs(ModelConfig)
    parser.add_argument("--model", **model_kwargs["model"])
    parser.add_argument("--enforce-eager", **model_kwargs["enforce_eager"])
    parser.add_argument("--hf-token", type=str, nargs="?", const=True)
    parser.add_argument("--tensor-parallel-size", "-tp", **model_kwargs["tp"])
    parser.add_argument("--headless", action="store_true")
    parser.add_argument("--enable-prefix-caching", **model_kwargs["caching"])
"""
VLLM_CONFIG = """
class Base:
    enforce_eager: bool = False

class ModelConfig(Base):
    model: str = ""
    tp: int = 1
    caching: bool | Literal["x"] = True
"""
VLLM_FRONT_END = """
class BaseFrontendArgs:
    chat_template: str | None = None
    disable_fastapi_docs: bool = False

class Other:
    not_a_flag: int = 0
"""
SGLANG_FIELDS = """
class Model:
    model_path: A[str, Arg(help="m", aliases=["--model"])] = ""
    tp_size: A[int, Arg(cli_name="--tensor-parallel-size", aliases=["--tp-size", "--tp"])] = 1
    enable_torch_compile: A[bool, "help"] = False
    hidden: A[bool, Arg(no_cli=True)] = False
    plain: int = 0
"""


def release(folder: Path, files: dict[str, str | bytes]) -> Sources:
    """Writes the files of a release and returns it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Sources(folder)
