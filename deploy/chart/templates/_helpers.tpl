{{- define "fastload.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of every object: the release's, with the chart's behind it where that isn't part of it. */}}
{{- define "fastload.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "fastload.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "fastload.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "fastload.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fastload.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fastload.labels" -}}
{{ include "fastload.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
What every object's metadata begins with. Takes the root as `root`, and where there are any: a `suffix` of the name,
`labels` and `annotations` of this object, `cluster` where it is in no namespace.
*/}}
{{- define "fastload.metadata" -}}
{{- $root := .root -}}
name: {{ include "fastload.fullname" $root }}{{ .suffix }}
{{- if not .cluster }}
namespace: {{ $root.Release.Namespace }}
{{- end }}
labels:
  {{- mustMergeOverwrite (include "fastload.labels" $root | fromYaml) (.labels | default dict) | toYaml | nindent 2 }}
{{- with mustMerge (dict) (.annotations | default dict) $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "fastload.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "fastload.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "fastload.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "fastload.certificateSecret" -}}
{{- .Values.certificates.secretName | default (printf "%s-tls" (include "fastload.fullname" .)) -}}
{{- end -}}

{{- define "fastload.priorityClass" -}}
{{- if .Values.priorityClass.create -}}
{{- .Values.priorityClassName | default (include "fastload.fullname" .) -}}
{{- else -}}
{{- .Values.priorityClassName -}}
{{- end -}}
{{- end -}}

{{/* A setting's value as its environment variable spells it. Numbers go through JSON, which knows no 3.1e+06. */}}
{{- define "fastload.spelled" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "string" . -}}
{{- . -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{/*
Whom the API server trusts, for a webhook's clientConfig. Takes the root as `root`, the `kind` of the configuration and
the `webhook`'s name. What others write is left out, but for one case: an upgrade to the source self-managed must not take
away what the release itself had written, before the new pods are there to write it.
*/}}
{{- define "fastload.caBundle" -}}
{{- $root := .root -}}
{{- $certificates := $root.Values.certificates -}}
{{- if eq $certificates.source "secret" -}}
caBundle: {{ $certificates.caBundle | b64enc | quote }}
{{- else if eq $certificates.source "self-managed" -}}
{{- $live := lookup "admissionregistration.k8s.io/v1" .kind "" (include "fastload.fullname" $root) | default dict -}}
{{- $writers := list -}}
{{- range dig "metadata" "managedFields" list $live -}}
{{- $writers = append $writers .manager -}}
{{- end -}}
{{- if not (has "fastload-certificates" $writers) -}}
{{- $name := .webhook -}}
{{- range dig "webhooks" list $live -}}
{{- if and (eq .name $name) .clientConfig.caBundle -}}
caBundle: {{ .clientConfig.caBundle }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Values that are each fine and don't go together; the schema sees them one by one. */}}
{{- define "fastload.check" -}}
{{- $deadline := .Values.settings.deadlineSeconds | default 2 | float64 -}}
{{- $drain := .Values.settings.drainSeconds | default 5 | float64 -}}
{{- /* The rest of a review may take a second beyond its look-ups' deadline. */ -}}
{{- $review := addf $deadline 1 -}}
{{- if gt $review (float64 .Values.webhooks.timeoutSeconds) -}}
{{- fail (printf "webhooks.timeoutSeconds is %v: the API server would give up before fastload answers; make it at least one more than settings.deadlineSeconds (%v), or the deadline shorter" .Values.webhooks.timeoutSeconds $deadline) -}}
{{- end -}}
{{- if le (float64 .Values.terminationGracePeriodSeconds) (addf $drain $review) -}}
{{- fail (printf "terminationGracePeriodSeconds is %v: reviews would be cut off; make it more than settings.drainSeconds (%v) and one review (%v) together" .Values.terminationGracePeriodSeconds $drain $review) -}}
{{- end -}}
{{- range .Values.env -}}
{{- if hasPrefix "FASTLOAD_" .name -}}
{{- fail (printf "env: %s is a setting of fastload's, which the chart takes below settings, in camel case" .name) -}}
{{- end -}}
{{- end -}}
{{- if eq (int .Values.ports.reviews) (int .Values.ports.admin) -}}
{{- fail (printf "ports.reviews and ports.admin are both %v; give them different ports" .Values.ports.reviews) -}}
{{- end -}}
{{- if eq (int .Values.service.port) (int .Values.ports.admin) -}}
{{- fail (printf "service.port and ports.admin are both %v, and the Service has both; give them different ports" .Values.service.port) -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas is %v, more than autoscaling.maxReplicas, %v" .Values.autoscaling.minReplicas .Values.autoscaling.maxReplicas) -}}
{{- end -}}
{{- end -}}
