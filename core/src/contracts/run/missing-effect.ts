/** What there is to know of a tool call to say whether it took effect. */
interface Effect {
  tool: string
  args: unknown
  risk: string
  status: string
}

const ACTING: ReadonlySet<string> = new Set(['write', 'execute', 'destructive'])

/** The first denied call with an effect that no later call brought about on the same path, host or command. */
export function findMissingEffect<Call extends Effect>(calls: readonly Call[]): Call | undefined {
  return calls.find(
    (call, index) =>
      call.status === 'denied' &&
      ACTING.has(call.risk) &&
      !calls.slice(index + 1).some((later) => later.status === 'completed' && hasSameEffect(call, later)),
  )
}

function hasSameEffect(denied: Effect, later: Effect): boolean {
  return (ACTING.has(later.risk) || later.risk === 'network') && hasSameTarget(denied, later)
}

/** Whether two calls act on the same path, host or command; where the first names none, whether they call the same tool. */
export function hasSameTarget(call: Pick<Effect, 'tool' | 'args'>, other: Pick<Effect, 'tool' | 'args'>): boolean {
  const targets = targetsOf(call.args)
  if (targets.size === 0) return other.tool === call.tool
  for (const target of targetsOf(other.args)) if (targets.has(target)) return true
  return false
}

const TARGET_NAME = /path|file|folder|dir|target|dest|url|host|command|script/i

/** What a call acts on: the paths, addresses and commands among its arguments. */
function targetsOf(args: unknown): Set<string> {
  if (typeof args !== 'object' || args === null) return new Set()
  return new Set(
    Object.entries(args).flatMap(([name, value]) => {
      if (!TARGET_NAME.test(name) || value === undefined) return []
      return [typeof value === 'string' ? value.replace(/^\.\//, '') : JSON.stringify(value)]
    }),
  )
}
