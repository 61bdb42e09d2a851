"""Manifests that several of the command line's tests preview."""

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: qwen
  annotations: {fastload.dev/inject: "true", fastload.dev/streamer-version: 0.15.9}
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
  containers:
    - name: vllm
      image: vllm/vllm-openai:v0.19.1
      args: [--model=s3://models/qwen, --tensor-parallel-size=2]
      resources: {limits: {nvidia.com/gpu: "2"}}
"""
