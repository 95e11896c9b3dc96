"""A table of texts, as Markdown and as LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

# What Markdown writes as it is and LaTeX does not.
_LATEX = {
    "\\": r"\textbackslash{}",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "λ": r"$\lambda$",
}


@dataclass(frozen=True)
class Table:
    """Texts in rows; `**bold**` and `` `code` `` are what Markdown takes them for.

    Attributes:
        title: one line.
        heads: of the columns.
        rows: each as long as `heads`.
        left: how many columns, from the first, hold words; the others are figures.
        rules: numbers of rows before which LaTeX draws a line.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    rules: frozenset[int] = field(default_factory=frozenset)

    def markdown(self) -> str:
        """The table alone.

        Example:
            >>> print(Table("", ["", "α"], [["Cora", "0.99"]]).markdown())
            | | α |
            |---|--:|
            | Cora | 0.99 |
        """
        marks = ["---" if i < self.left else "--:" for i in range(len(self.heads))]
        lines = [_line(self.heads), f"|{'|'.join(marks)}|", *map(_line, self.rows)]
        return "\n".join(lines)

    def latex(self) -> str:
        """A `table` for a document that has `booktabs`."""
        columns = "l" * self.left + "r" * (len(self.heads) - self.left)
        body = [_latex_line(self.heads), r"\midrule"]
        for number, row in enumerate(self.rows):
            if number in self.rules:
                body.append(r"\midrule")
            body.append(_latex_line(row))
        inner = "\n".join(body)
        return (
            "\\begin{table}\n\\centering\n"
            f"\\caption{{{latex(self.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
            f"{inner}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )


def latex(text: str) -> str:
    r"""A cell as LaTeX.

    Example:
        >>> print(latex("**70.1 ± 2 %**, `n_steps`"))
        \textbf{70.1 $\pm$ 2 \%}, \texttt{n\_steps}
    """
    plain = "".join(_LATEX.get(sign, sign) for sign in text)
    plain = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", plain)
    plain = re.sub(r"`(.+?)`", r"\\texttt{\1}", plain)
    return re.sub(r"(?<![\w$.-])([+-]\d[\d.]*)", r"$\1$", plain)


def _line(cells: Sequence[str]) -> str:
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(map(latex, cells)) + r" \\"
