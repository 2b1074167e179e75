import { textMessage } from '../../../../contracts/model/message-text.ts'
import type { ModelRequest } from '../../../../contracts/model/model.ts'
import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Lets the inspector and call hooks have their say before anything is sent, and hooks before an answer is handed out. */
export const hooks =
  (run: ModelContext): Layer =>
  async (call) => {
    run.stop.throwIfStopped()
    await run.env.cassette?.inTurn(call.key, 'begin')
    call.change(await amend(run, call.request, call.site.agentId))
    return {
      change: async (answer) => {
        const { hooks } = run.env
        const changed = hooks.isUsed('modelResponse')
          ? await hooks.ask('modelResponse', { request: call.request, answer }, run.context)
          : undefined
        run.stop.throwIfStopped()
        return changed ?? answer
      },
    }
  }

async function amend(run: ModelContext, asked: ModelRequest, agentId: string): Promise<ModelRequest> {
  const nudges = run.control.steering.takeNudges(agentId)
  const note = textMessage('user', `Note from the inspector: ${nudges.join('\n')}`)
  const request = nudges.length === 0 ? asked : { ...asked, messages: [...asked.messages, note] }
  const { hooks } = run.env
  const changed = hooks.isUsed('modelRequest') ? await hooks.ask('modelRequest', request, run.context) : undefined
  const hooked = changed ?? request
  return hooked.stream && !run.recorder.isRead ? { ...hooked, stream: false } : hooked
}
