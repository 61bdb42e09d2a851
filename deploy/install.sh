#!/usr/bin/env bash
# Installs fastload into the cluster that kubectl points to, with a certificate of its own.
#
#   IMAGE=123456789012.dkr.ecr.us-west-2.amazonaws.com/fastload:0.1.0 deploy/install.sh
#
# Run it again to change the image, or within 30 days of the certificate's end to renew it (RENEW=1 does so at any time).
# Pods are tuned all the while. It needs kubectl, and fastload on the PATH (`make deploy` brings it).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${IMAGE:?name the image you built and pushed, e.g. IMAGE=registry.example/fastload:0.1.0}"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What is installed: the certificate in use, and the authorities that the API server takes it from.
kubectl get secret fastload-tls --namespace fastload --ignore-not-found \
  --output go-template='{{index .data "tls.crt" | base64decode}}' >"$folder/cert.pem"
kubectl get mutatingwebhookconfiguration fastload --ignore-not-found \
  --output go-template='{{with (index .webhooks 0).clientConfig.caBundle}}{{. | base64decode}}{{end}}' >"$folder/ca.pem"

renewed=
if [[ -n ${RENEW:-} ]] || ! fastload certs check --folder "$folder" --name fastload.fastload.svc --days 30 >/dev/null; then
  renewed=yes
  # Beside the new authority stays the one before it: running pods serve its certificate until they have the new one.
  before=$(sed '/-----END CERTIFICATE-----/q' "$folder/ca.pem")
  fastload certs dev --out "$folder" --name fastload.fastload.svc --name fastload.fastload.svc.cluster.local >/dev/null
  printf '%s' "$before" >>"$folder/ca.pem"
fi
authorities=$(base64 <"$folder/ca.pem" | tr -d '\n')

manifests() {
  sed -e "s|image: registry.example/fastload:.*|image: $IMAGE|" -e "s|caBundle: \"\"|caBundle: $authorities|" \
    "$here/install.yaml"
}

if [[ -n $renewed ]]; then
  manifests | sed '/^---$/,$d' | kubectl apply -f - # the namespace alone
  if [[ -n $before ]]; then
    # Trusted before it is served.
    kubectl patch mutatingwebhookconfiguration fastload --type json --patch "[
      {\"op\": \"replace\", \"path\": \"/webhooks/0/clientConfig/caBundle\", \"value\": \"$authorities\"},
      {\"op\": \"replace\", \"path\": \"/webhooks/1/clientConfig/caBundle\", \"value\": \"$authorities\"}]"
  fi
  kubectl create secret tls fastload-tls --namespace fastload --cert "$folder/cert.pem" --key "$folder/key.pem" \
    --dry-run=client --output yaml | kubectl apply -f -
fi
manifests | kubectl apply -f -
kubectl rollout status deployment/fastload --namespace fastload --timeout 180s
