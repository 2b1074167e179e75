import { ValidationError } from '@svc/core'
import type { AllSpecs } from '../command-spec.ts'
import { renderCompletion, SHELLS } from '../completion.ts'
import type { CommandContext } from '../context.ts'
import { readAction } from '../read-action.ts'
import { refuseWords } from '../refuse-words.ts'

/** `svc completion bash|zsh|fish`: prints what teaches a shell the words of svc. */
export default async function completion(
  { io }: CommandContext,
  [shell, ...more]: string[],
  all: AllSpecs,
): Promise<number> {
  refuseWords('completion', more, 0)
  if (shell === undefined)
    throw new ValidationError('validation_failed', `svc completion needs a shell: ${SHELLS.join(', ')}`)
  io.out(renderCompletion(readAction('completion', shell, SHELLS), all))
  return 0
}
