import type { Layer } from '../layer.ts'
import type { PromptLog } from '../prompt-log.ts'

/** Says that a model is asked, and what. */
export const start =
  (prompts: PromptLog): Layer =>
  (call) => {
    call.announceStart(prompts.write(call.site, call.readable.messages))
    return {}
  }
