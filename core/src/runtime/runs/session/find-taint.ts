import type { RunEvent } from '../../../contracts/log/event.ts'
import type { MemoryHit } from '../../../contracts/memory/memory.ts'
import type { TaintSource } from '../../../contracts/run/taint/taint-source.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import { targetOf } from '../../pipeline/facts/result-facts.ts'

/** What a run has read so far. */
interface ReadSoFar {
  /** What came with it that is untrusted, in words. */
  given: readonly string[]
  recalled: readonly MemoryHit[]
  events: readonly RunEvent[]
  /** Absent where a person trusts the folder. */
  folder: { material: readonly string[]; holds: (tool: string) => boolean } | undefined
}

const MOST = 50

/** Every untrusted thing that was read, each once. Whether there is any does not depend on the bound. */
export function findTaint({ given, recalled, events, folder }: ReadSoFar): TaintSource[] {
  const found = new Map<string, TaintSource>()
  const add = (source: TaintSource): void => {
    if (found.size < MOST) found.set(JSON.stringify(source), source)
  }
  for (const name of given) add({ from: 'given', name })
  for (const { id } of recalled.filter(taints)) add({ from: 'memory', name: id })
  for (const name of folder?.material ?? []) add({ from: 'folder', name })
  const asked = new Map<string, unknown>()
  for (const { type, data, agentId, callId } of events) {
    if (type === 'tool.requested') asked.set(`${agentId} ${callId}`, data.args)
    if (type !== 'tool.completed' && type !== 'tool.failed') continue
    const name = data.tool ?? 'a tool'
    const from = cameFrom(data, folder?.holds(name) === true)
    if (from === undefined) continue
    const target = targetOf(data.args ?? asked.get(`${agentId} ${callId}`))
    add({ from, name, ...(target !== undefined && { target }) })
  }
  return [...found.values()]
}

/** Where a result came from that nobody vouches for; undefined for one's own. @param isOfFolder whether it may hold files of a folder that nobody trusts */
function cameFrom(
  { trust, tainted }: { trust?: 'trusted' | 'untrusted'; tainted?: boolean },
  isOfFolder: boolean,
): 'tool' | 'folder' | undefined {
  if (trust === 'untrusted' || tainted === true) return 'tool'
  return trust !== undefined && isOfFolder ? 'folder' : undefined
}
