"""The compile-cache lab: the real torch.compile in pods as fastload patches them, on a node's disk that is a folder."""
