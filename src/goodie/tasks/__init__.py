"""What is asked of a graph: labels of its nodes, or its missing links."""
