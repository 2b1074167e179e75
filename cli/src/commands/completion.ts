import type { CommandContext } from '../frame/context.ts'
import type { Specs } from '../line/command-spec.ts'
import { renderCompletion, type Shell } from '../line/completion.ts'

/** `svc completion bash|zsh|fish`: prints what teaches a shell the words of svc. */
export default async function completion({ io }: CommandContext, [shell]: string[], specs: Specs): Promise<number> {
  io.out(renderCompletion(shell as Shell, specs))
  return 0
}
