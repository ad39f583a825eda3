"""The results of a ring as lines of text, short enough to read."""

#: Steps that have a column of their own.
COLUMNS = 4


def heading(options, here, device):
    """Return one line that says what is run, and one about each process.

    Parameters
    ----------
    options : argparse.Namespace
    here : attnlib.ring.launch.Place
    device : dict
        Names of device and back end, and the number of threads.

    Returns
    -------
    str
    """
    causal = "causal" if options.causal else "every query sees every key"
    many = "process" if here.world == 1 else "processes"
    return (
        f"Ring of {here.world} {many} ({device['backend']}, {device['device']}, "
        f"{device['threads']} thread{'s' * (device['threads'] > 1)} each): "
        f"n = {options.n}, {options.heads} heads, d = {options.d}, batch {options.batch}, "
        f"{options.dtype}, {causal}"
    )


def table(layout, found):
    """Return the results of one layout, one line for each rank.

    Parameters
    ----------
    layout : str
    found : dict
        What `attnlib.ring.measure.results` says of this layout.

    Returns
    -------
    str
    """
    steps = min(len(found["pairs"]), COLUMNS)
    more = " ..." if steps < len(found["pairs"]) else ""
    lines = [
        "",
        f"{layout}: relative error {found['relative_error']:.1e} against one process",
        "rank    bytes sent         pairs  seconds  of which work in step "
        + "  ".join(f"{step:>6}" for step in range(steps))
        + more,
    ]
    for rank, pairs in enumerate(found["pairs"]):
        work = "  ".join(f"{seconds:6.4f}" for seconds in found["work_seconds"][rank][:steps])
        lines.append(
            f"{rank:4}  {found['bytes_sent'][rank]:12,}  {sum(pairs):12,}"
            f"  {found['seconds'][rank]:7.4f}  {'':21} {work}{more}"
        )
    lines.append(f"bytes by formula: {found['bytes_by_formula']:,} from each rank")
    lines.append(f"balance: the mean rank has {found['balance']:.3f} of the pairs of the busiest")
    return "\n".join(lines)


def ratio(found):
    """Return the line that compares the two layouts.

    Parameters
    ----------
    found : dict
        What `attnlib.ring.measure.results` says.

    Returns
    -------
    str
    """
    return (
        f"\ncontiguous / striped: {found['ratio']['seconds']:.2f} in seconds of the slowest rank, "
        f"{found['ratio']['pairs']:.2f} in pairs of the busiest"
    )
