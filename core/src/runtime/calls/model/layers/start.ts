import type { EventData } from '../../../../contracts/log/event.ts'
import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'
import type { PromptLog } from '../prompt-log.ts'
import { paramsOf } from '../request-content.ts'

/** Says that a model is asked, and what. */
export const start =
  (run: ModelContext, prompts: PromptLog): Layer =>
  ({ target, site, request, readable, estimatedInputTokens }) => {
    const { provider, model } = target
    const params = paramsOf(request)
    const prompt = prompts.write(site, readable.messages)
    const data: EventData['model.started'] = { provider: provider.id, model, params, estimatedInputTokens, prompt }
    run.recorder.emit(
      'model.started',
      provider.server === undefined ? data : { ...data, server: provider.server },
      site,
    )
    return {}
  }
