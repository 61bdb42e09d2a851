# Pin the base by digest: docker build --build-arg BASE=python:3.13-slim@sha256:... .
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
RUN python -m venv /opt/fastload
COPY requirements/run.lock requirements/run.lock
RUN /opt/fastload/bin/pip install --no-cache-dir --require-hashes -r requirements/run.lock
COPY pyproject.toml README.md LICENSE ./
COPY webhook webhook
RUN /opt/fastload/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && /opt/fastload/bin/python -m compileall -q /opt/fastload/lib

FROM ${BASE}
COPY --from=build /opt/fastload /opt/fastload
ENV PATH=/opt/fastload/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["fastload"]
CMD ["serve"]
