import { textMessage } from '../../../../contracts/model/message-text.ts'
import type { ModelRequest } from '../../../../contracts/model/model.ts'
import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Lets the inspector and call hooks have their say before anything is sent, and hooks before an answer is handed out. */
export const hooks =
  (run: ModelContext): Layer =>
  async (call) => {
    // The inspector has heard of tool calls that reached no gateway; the gateway itself has flushed what it did.
    if (call.request.messages.at(-1)?.role === 'tool') await run.recorder.flush()
    run.stop.throwIfStopped()
    await run.env.cassette?.inTurn(call.key, 'begin')
    call.change(await amend(run, call.request, call.site.agentId))
    return {
      change: async (answer) => {
        // The answer is durable before any agent sees it, and watchers have heard of it before the next call.
        await run.recorder.flush()
        const { hooks } = run.env
        const changed = hooks.hooks.modelResponse.isUsed()
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
  const changed = hooks.hooks.modelRequest.isUsed() ? await hooks.ask('modelRequest', request, run.context) : undefined
  const hooked = changed ?? request
  return hooked.stream && !run.recorder.isRead ? { ...hooked, stream: false } : hooked
}
