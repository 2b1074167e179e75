import type { EventData, EventPlace, EventType } from '../../contracts/log/event.ts'
import type { StageTap } from '../../contracts/log/stage-tap.ts'
import type { MemoryHit } from '../../contracts/memory/memory.ts'
import type { AgentProfile } from '../../contracts/plugin/agent-profile.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import type { Stage } from '../../contracts/stages/stages.ts'
import type { Warning } from '../../contracts/warning.ts'
import type { CallContext, CallRecorder } from '../calls/call-context.ts'
import type { ToolGateway } from '../calls/tools/tool-gateway.ts'
import type { TappedRun } from '../hooks/hooks.ts'

/** An event that is said again of another run. */
export type InheritedEvent = { [T in EventType]: { type: T; data: EventData[T]; place: EventPlace } }[EventType]

/** A stage as it went in an earlier life of the run, or in the run that it is a fork of: it is not asked again. */
export interface InheritedStage {
  /** Null where nobody answered a stage that may stay unanswered. */
  answer: unknown
  /** What the stage said from beginning to end, without what only real calls say. */
  events: readonly InheritedEvent[]
  /** What was handed over to the run in it. */
  recalled?: readonly MemoryHit[]
  /** True: in an earlier life of the run itself. */
  isOwn?: boolean
}

/** Counts how often each stage was asked. */
export interface StageCounter {
  /** How often `execute` was asked. */
  attempt: number
  /** Counts that a stage is asked. @returns it as it went in an earlier life, or in the run that this is a fork of */
  enter(stage: Stage): InheritedStage | undefined
  /** Key under which the answer of a stage is recorded that no event holds. */
  keyOf(stage: Stage): string
}

/** A run as the pipeline needs it. */
export interface PipelineRun extends Pick<CallContext, 'env' | 'stop' | 'ledger'> {
  readonly facts: CallContext['facts'] & { readonly agents: readonly AgentProfile[] }
  readonly recorder: CallRecorder & {
    /** The stage that is being asked, for the events. */
    stage: Stage | undefined
    readonly warnings: readonly Warning[]
    /** The log as a whole, with what earlier lives have logged and this one has not come to. */
    readonly whole: RunView
    /** Records an answer that no event holds, so that a fork can keep it. */
    note(key: string, outcome: unknown): void
  }
  readonly stages: StageCounter
  /** Takes over what an agent has read by a call that is not made again. */
  readonly tools: Pick<ToolGateway, 'noteRead'>
  readonly context: TappedRun & { tapped: StageTap[] }
  /** Takes over which profile each agent of a plan has. */
  bind(plan: Plan): void
}
