import type { RunEvent, Stage } from '@svc/core'

/** One thing in which a fork was set up otherwise than the run that it was made of. */
export interface ForkChange {
  /** `config`, `task`, `model`, `prompt`, or `plugins of <stage>`. */
  what: string
  before: string
  after: string
}

/** What a fork changed, out of both logs: the config, the request, and the plugins of the stages that it asked itself. */
export function forkChanges(parent: readonly RunEvent[], fork: readonly RunEvent[]): ForkChange[] {
  const [one, two] = [setUpOf(parent), setUpOf(fork)]
  const names = [...new Set([...one.keys(), ...two.keys()])]
  return names.flatMap((what) => {
    const [before, after] = [one.get(what), two.get(what)]
    // A stage that one of them never came to says nothing.
    if (before === undefined || after === undefined || before === after) return []
    return [{ what, before, after }]
  })
}

function setUpOf(events: readonly RunEvent[]): Map<string, string> {
  const facts = new Map<string, string>()
  const kept = new Set<Stage>()
  for (const event of events) {
    if (event.type === 'run.created') {
      const { configHash, task, options } = event.data
      facts.set('config', configHash.slice(0, 12))
      facts.set('task', task)
      facts.set('model', options.model ?? "the config's")
      facts.set('prompt', options.context === undefined ? 'none' : JSON.stringify(options.context))
    } else if (event.type === 'stage.started' && event.stage !== undefined) {
      facts.set(`plugins of ${event.stage}`, event.data.plugins.join(', ') || 'none')
    } else if (event.type === 'stage.completed' && event.data.inherited === true && event.stage !== undefined)
      kept.add(event.stage)
  }
  for (const stage of kept) facts.delete(`plugins of ${stage}`)
  return facts
}
