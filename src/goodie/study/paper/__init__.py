"""Every table and figure of the paper, made from rows: ours beside the paper's."""
