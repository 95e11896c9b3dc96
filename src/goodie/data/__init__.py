"""What a problem is: graphs with holes, who is split how, and what is refused at the boundary."""
