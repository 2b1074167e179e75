import { type Change, type ErrorInfo, isTerminalEvent, type RunEvent, type Stage } from '@svc/core/client'

/** The stages in the order in which a task runs through them. */
export const STAGES: readonly Stage[] = ['analyze', 'allocate', 'plan', 'execute', 'reflect', 'consensus', 'inspect']

/** What one tap did, as the log has it. */
export interface TapView {
  plugin: string
  tap: string
  durationMs: number
  answered: boolean
  tokens?: number
  changes?: Change[]
}

/** One pass through a stage; a retry or a new plan makes another one. */
export interface StageRound {
  startedAt: number
  endedAt?: number
  /** Plugins that were asked, in order. */
  plugins: readonly string[]
  /** Whose answer stands; empty: nobody answered. */
  plugin?: string
  durationMs?: number
  taps: readonly TapView[]
  error?: ErrorInfo
  /** Number of the event that began it, and of the one that ended it. */
  seq: number
  endSeq?: number
}

/** `idle`: it may come yet; `skipped`: the run went on, or ended, without it. */
export type StageState = 'idle' | 'skipped' | 'running' | 'completed' | 'unanswered' | 'failed'

/** A stage as the strip shows it. */
export class StageView {
  readonly stage: Stage
  readonly rounds: StageRound[] = []
  /** Tokens of the model calls that were made in it. */
  tokens = 0
  modelCalls = 0
  /** The run is beyond it. */
  isPassed = false

  constructor(stage: Stage) {
    this.stage = stage
  }

  get newest(): StageRound | undefined {
    return this.rounds.at(-1)
  }

  get state(): StageState {
    const { newest } = this
    if (newest === undefined) return this.isPassed ? 'skipped' : 'idle'
    if (newest.error !== undefined) return 'failed'
    if (newest.endedAt === undefined) return 'running'
    return newest.plugin === '' ? 'unanswered' : 'completed'
  }

  /** Time in all its rounds, of one that goes on until `now`. */
  durationMs(now: number): number {
    let total = 0
    for (const { durationMs, startedAt, endedAt } of this.rounds)
      total += durationMs ?? Math.max(0, (endedAt ?? now) - startedAt)
    return total
  }
}

/** The seven stages of a run, event by event. */
export class StageViews {
  readonly all: readonly StageView[] = STAGES.map((stage) => new StageView(stage))
  readonly #byName = new Map(this.all.map((view) => [view.stage, view]))

  get(stage: Stage | undefined): StageView | undefined {
    return stage === undefined ? undefined : this.#byName.get(stage)
  }

  apply(event: RunEvent): void {
    if (isTerminalEvent(event)) for (const view of this.all) view.isPassed = true
    const view = this.get(event.stage)
    if (view === undefined || event.seq === undefined) return
    switch (event.type) {
      case 'stage.started':
        for (const earlier of this.all.slice(0, this.all.indexOf(view))) earlier.isPassed = true
        view.rounds.push({ startedAt: Date.parse(event.time), plugins: event.data.plugins, taps: [], seq: event.seq })
        return
      case 'stage.completed':
        this.#end(view, event.seq, Date.parse(event.time), {
          plugin: event.data.plugin,
          durationMs: event.data.durationMs,
          taps: event.data.taps ?? [],
        })
        return
      case 'stage.failed':
        this.#end(view, event.seq, Date.parse(event.time), { error: event.data.error, taps: event.data.taps ?? [] })
        return
      case 'model.completed':
      case 'model.failed': {
        const { usage } = event.data
        view.modelCalls++
        view.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
        return
      }
    }
  }

  #end(view: StageView, endSeq: number, endedAt: number, change: Partial<StageRound>): void {
    const round = view.newest
    if (round !== undefined && round.endedAt === undefined) Object.assign(round, { endSeq, endedAt, ...change })
  }
}
