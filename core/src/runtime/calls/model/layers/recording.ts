import type { Cassette, RecordedOutcome } from '../../../../contracts/log/cassette.ts'
import type { ModelAnswer } from '../../../../contracts/model/model.ts'
import type { Usage } from '../../../../contracts/model/usage.ts'
import { noUsage } from '../../../../contracts/model/usage-sum.ts'
import { RunError } from '../../../../errors.ts'
import { toRecordedError } from '../../../journal/recorded-error.ts'
import { endUnrecorded } from '../../end-unrecorded.ts'
import type { Layer } from '../layer.ts'
import { announceBudget, type ModelCall } from '../model-call.ts'
import type { ModelContext } from '../model-context.ts'
import { reserve } from './ledger.ts'

/** Answers a call from a recording: the same events and charges, and no waiting. */
export function recording(run: ModelContext, cassette: Cassette): Layer {
  /** Calls that were looked for: those that fell back to another model are not looked for again. */
  const searched = new WeakSet<ModelCall>()
  let hasMissed = false
  return async (call) => {
    if (!searched.has(call)) {
      searched.add(call)
      const found = cassette.modelCall(call.key, call.content)
      if (typeof found !== 'string') call.recorded = found
      else if (cassette.isStrict) throw endUnrecorded(run, cassette, found)
      else {
        // One that parts from its recording mostly takes those after it along; the log says which were recorded.
        if (!hasMissed) run.recorder.warn({ code: 'cassette_miss', message: `${found}. The call was made.` })
        hasMissed = true
      }
    }
    const { recorded } = call
    return recorded === undefined ? {} : { answer: await replay(run, cassette, call, recorded) }
  }
}

/**
 * @param outcomes those that are still to come; what is handed out here is taken away
 * @throws what the call ended with
 */
async function replay(
  run: ModelContext,
  cassette: Cassette,
  call: ModelCall,
  outcomes: RecordedOutcome[],
): Promise<ModelAnswer> {
  const { site } = call
  const reservation = await reserve(run, call)
  await cassette.inTurn(call.key, 'end')
  const settle = (usage: Usage, costUsd: number | null, estimate = usage): void =>
    announceBudget(run, site, run.ledger.settle(reservation, usage, estimate, costUsd))
  for (let outcome = outcomes.shift(); outcome !== undefined; outcome = outcomes.shift()) {
    if (outcome.type === 'answer') {
      const { answer } = outcome
      settle(answer.usage, answer.costUsd, call.estimateOf(answer))
      if (answer.text !== '') call.announcePiece('text', answer.text)
      return answer
    }
    if (outcome.type === 'model.failed') {
      settle(outcome.data.usage ?? noUsage(), outcome.data.costUsd ?? null)
      run.recorder.emit(outcome.type, outcome.data, site)
      throw toRecordedError(outcome.data.error)
    }
    if (outcome.type === 'model.retrying' && outcome.data.reserve) run.ledger.doubt(site.agentId, outcome.data.reserve)
    run.recorder.emit(outcome.type, outcome.data, site)
  }
  settle(noUsage(), 0)
  const { ending } = cassette
  if (ending !== undefined) throw toRecordedError(ending)
  throw new RunError('replay_diverged', `the recording ends in the middle of the model call ${site.callId}`)
}
