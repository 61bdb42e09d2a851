#!/usr/bin/env bash
# Builds the image for both architectures and pushes it, with docker buildx.
#
#   IMAGE=123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload:0.1.0 deploy/image/build.sh
#
# BASE is the Python image whose interpreter and libraries it takes (Debian's, 3.11 or later). Without a digest it is
# pinned to the one that its tag has now. SOURCE is the address of your copy of the source, for the image's label.
# The same source, BASE and SOURCE_DATE_EPOCH (by default the commit's) make the same layers again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${IMAGE:?name the image, e.g. IMAGE=registry.example/fastload:0.1.0}"
if ! docker buildx version >/dev/null 2>&1; then
  echo "docker buildx is missing: install docker with its buildx plugin. It builds for both architectures and pushes" >&2
  exit 1
fi
base=${BASE:-$(sed -n 's/^ARG BASE=//p' "$here/Dockerfile")}

if [[ $base != *@* ]]; then
  base=$base@$(docker buildx imagetools inspect "$base" --format '{{.Manifest.Digest}}')
fi
if [[ ! $base =~ @sha256:[0-9a-f]{64}$ ]]; then
  echo "BASE is $base, which is not pinned: name it with its digest, as in python:3.13-slim@sha256:..." >&2
  exit 1
fi

epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}
revision=$(git -C "$here" describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || true)
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$here/webhook/__init__.py")
created=$(date --utc --date "@$epoch" +%Y-%m-%dT%H:%M:%SZ)

label() { [[ -z $2 ]] || arguments+=(--label "org.opencontainers.image.$1=$2"); }
arguments=()
label version "$version"
label revision "$revision"
label created "$created"
label source "${SOURCE:-}"
label base.name "${base%@*}"
label base.digest "${base#*@}"

echo "Building $IMAGE with BASE=$base SOURCE_DATE_EPOCH=$epoch"
exec docker buildx build --platform "${PLATFORMS:-linux/amd64,linux/arm64}" --tag "$IMAGE" \
  --build-arg "BASE=$base" --build-arg "SOURCE_DATE_EPOCH=$epoch" "${arguments[@]}" \
  --output type=image,push=true,rewrite-timestamp=true "$here"
