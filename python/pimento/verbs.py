"""The verbs of the command line as functions: options are keywords, answers are objects."""

from .errors import misuse
from .functions import input_of
from .library import Query
from .results import Result, result_of


def _ask(verb, kernel, sizes, options, dtype=None, target=None, language=None, client=None, shares=None):
    given, text, _ = input_of(kernel, sizes, dtype, target, language)
    given.update({key.rstrip("_"): value for key, value in options.items() if value is not None})
    if target is not None:
        given["target"] = target
    if client is not None:
        from . import cluster

        answer = cluster.run(verb, given, text, client, shares)
    elif shares is not None:
        raise misuse("python-argument", "shares are computed by the workers of a client", "pass 'client', too")
    else:
        answer = Query(given, text).run(verb)
    return result_of(verb, answer, (given, text))


_COMMON = """
    Args:
        kernel: a function marked with @pimento.kernel; a name of the zoo ("gemv"); index notation
            ("y[i] += A[i,j] * x[j]"); or a file (.mlir, .c, .cnm, ...).
        sizes: of a Python kernel shapes, arrays or numbers of its parameters, in order or by name; of others a dict
            {{"m": 4096}}.
        {target}
        dtype: element type of what states none (default: the machine's native one).
        map: "auto" (default), "reference" or a mapping.
        set: numbers of the machine: {{"timing.tRP": 16}}, or a list of "PATH=VALUE".
        constant: names of inputs that are placed once.
        objective: what auto minimises: "time", "energy" or "kernel".
        language: `kernel` is a text in it: "mlir", "c", "cnm", "nest".
        options: every other option of the verb, by its name with _ for -: docs/cli.md lists them.

    Raises Error (with diagnostics) if the input is wrong or the machine cannot run it.
    """
_ONE = "target: a machine, by name or file (default: hbm-pim)."


def _documented(text, target=_ONE):
    def add(function):
        function.__doc__ = text + "\n" + _COMMON.format(target=target)
        return function

    return add


@_documented("""Time and energy by exact fast-forward: `pimento estimate`. Returns a Result with the keys of its JSON:
    time_ns, energy_pj, cycles, total_cycles, breakdown (cycles), mapping, stages, warnings, ...""")
def estimate(kernel, sizes=None, *, target=None, dtype=None, map=None, set=None, constant=None, objective=None,
             offload=None, data=None, language=None, **options):
    return _ask("estimate", kernel, sizes, dict(map=map, set=set, constant=constant, objective=objective,
                                                offload=offload, data=data, **options), dtype, target, language)


@_documented("""Every command, on data, results checked: `pimento simulate`. Returns a Result as estimate does, with
    `checked`. To run a kernel on arrays of your own, see init_kernel.""")
def simulate(kernel, sizes=None, *, target=None, dtype=None, map=None, set=None, constant=None, objective=None,
             offload=None, data=None, seed=None, language=None, **options):
    return _ask("simulate", kernel, sizes, dict(map=map, set=set, constant=constant, objective=objective,
                                                offload=offload, data=data, seed=seed, **options), dtype, target,
                language)


@_documented("""One kernel on several machines: `pimento compare`. Returns a Comparison: rows, one for each machine; one
    that cannot run the kernel has `error`.""", "targets: machines, a list or \"all\".")
def compare(kernel, sizes=None, *, targets="all", dtype=None, map=None, set=None, constant=None, objective=None,
            offload=None, data=None, language=None, **options):
    names = targets.split(",") if isinstance(targets, str) else list(targets)
    one = names[0] if names and names[0] != "all" else None
    given, text, _ = input_of(kernel, sizes, dtype, one, language)
    given.update({k.rstrip("_"): v for k, v in dict(map=map, set=set, constant=constant, objective=objective,
                                                    offload=offload, data=data, **options).items() if v is not None})
    return result_of("compare", Query({**given, "target": names}, text).run("compare"))


@_documented("""All mappings of a kernel, or a sweep of machine numbers and sizes: `pimento explore`. Returns an
    Exploration: rows of points. Ctrl-C ends it early.

    `client`: of dask.distributed; its workers compute, in `shares` tasks (default: one for each of their threads).""")
def explore(kernel, sizes=None, *, target=None, dtype=None, map=None, set=None, sweep=None, constant=None,
            objective=None, budget=None, limit=None, store=None, jobs=None, language=None, client=None, shares=None, **options):
    return _ask("explore", kernel, sizes, dict(map=map, set=set, sweep=sweep, constant=constant, objective=objective,
                                               budget=budget, limit=limit, store=store, jobs=jobs, **options), dtype,
                target, language, client, shares)


@_documented("""The best mapping, proved, run on data and kept: `pimento tune`. Returns a Tuning: map, best (as estimate
    has it), stop, gap, drafts. Ctrl-C ends the search early, and raises KeyboardInterrupt; what it finished is kept,
    and the next call goes on from there. `client`, `shares`: as of explore.""")
def tune(kernel, sizes=None, *, target=None, dtype=None, map=None, set=None, constant=None, objective=None, budget=None,
         exhaustive=None, space=None, store=None, jobs=None, language=None, client=None, shares=None, **options):
    return _ask("tune", kernel, sizes, dict(map=map, set=set, constant=constant, objective=objective, budget=budget,
                                            exhaustive=exhaustive, space=space, store=store, jobs=jobs, **options),
                dtype, target, language, client, shares)


@_documented("""Any number of a result back to formula, counts and constants: `pimento explain`. `kernel` may also be a
    Result of estimate or simulate, or `result` of a bound kernel: what is explained is an estimate with its options.
    Returns a Result; print it.

    `number`: the key of one number, "breakdown.merge"; `depth`: levels to show.""")
def explain(kernel, sizes=None, *, number=None, depth=None, target=None, dtype=None, map=None, set=None, constant=None,
            objective=None, language=None, **options):
    options = dict(number=number, depth=depth, map=map, set=set, constant=constant, objective=objective, **options)
    if not isinstance(kernel, Result):
        return _ask("explain", kernel, sizes, options, dtype, target, language)
    if kernel._asked is None or kernel.verb not in ("estimate", "simulate"):
        raise misuse("python-argument", f"a result of '{kernel.verb}' cannot be explained",
                     "pass a result of estimate, simulate or a call, or the kernel itself")
    given, text = kernel._asked
    given = {**given, **{k: v for k, v in options.items() if v is not None}}
    return result_of("explain", Query(given, text).run("explain"), (given, text))
