import { isEphemeral, type RunEvent } from '@svc/core'

/** Which events of a run a reader asks for. */
export interface EventFilter {
  /** Names of types; `tool.*` for all of a noun. Default all. */
  types?: readonly string[] | undefined
  agent?: string | undefined
  /** False: without the pieces of answers. Default true. */
  deltas?: boolean | undefined
}

/** Whether an event is asked for. Nobody can do without a warning. */
export function createFilter({ types, agent, deltas = true }: EventFilter): (event: RunEvent) => boolean {
  const names = new Set(types)
  const nouns = (types ?? []).flatMap((type) => (type.endsWith('*') ? [type.slice(0, -1)] : []))
  return ({ type, agentId }) =>
    type === 'stream.warning' ||
    ((deltas || !isEphemeral(type)) &&
      (agent === undefined || agentId === agent) &&
      (types === undefined || names.has(type) || nouns.some((noun) => type.startsWith(noun))))
}
