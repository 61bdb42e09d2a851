# The image is the folder that deploy/image makes, and nothing else: an interpreter and fastload, no shell, no package
# manager. `make image` pins BASE by its digest.
ARG BASE=docker.io/library/python:3.13-slim

FROM ${BASE} AS build
ARG SOURCE_DATE_EPOCH=0
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY requirements/run.lock requirements/
COPY deploy/image deploy/image
COPY webhook webhook
RUN ["python3", "-m", "deploy.image", "/image"]

FROM scratch
LABEL org.opencontainers.image.title="fastload" \
      org.opencontainers.image.description="A Kubernetes admission webhook that gives LLM inference pods the settings for a fast cold start on EKS" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
ENV PATH=/usr/local/bin
USER 65532:65532
# A root that cannot start fastload fails here, not in a pod.
RUN ["fastload", "--version"]
EXPOSE 8443 8080
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s CMD ["fastload", "health"]
ENTRYPOINT ["fastload"]
CMD ["serve"]
