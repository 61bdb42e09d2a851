#!/usr/bin/env bash
# Installs fastload into the cluster that kubectl points to, with a certificate of its own.
#
#   IMAGE=123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload:0.1.0 deploy/install.sh
#
# Run it again to change the image or to renew the certificate. It needs kubectl, and fastload on the PATH (`make deploy`
# brings it).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${IMAGE:?name the image you built and pushed, e.g. IMAGE=registry.example/fastload:0.1.0}"

certificates=$(mktemp -d)
trap 'rm -rf "$certificates"' EXIT
fastload certs dev --out "$certificates" --name fastload.fastload.svc --name fastload.fastload.svc.cluster.local >/dev/null
authority=$(base64 <"$certificates/ca.pem" | tr -d '\n')

installed=$(kubectl get deployment fastload --namespace fastload --ignore-not-found --output name 2>/dev/null || true)

sed -e "s|image: registry.example/fastload:.*|image: $IMAGE|" -e "s|caBundle: \"\"|caBundle: $authority|" \
  "$here/install.yaml" | kubectl apply -f -
kubectl create secret tls fastload-tls --namespace fastload --cert "$certificates/cert.pem" --key "$certificates/key.pem" \
  --dry-run=client --output yaml | kubectl apply -f -

# Pods that run already would take the new certificate up to a minute later.
if [[ -n $installed ]]; then
  kubectl rollout restart deployment/fastload --namespace fastload
fi
kubectl rollout status deployment/fastload --namespace fastload --timeout 180s
