import type { RunMessage } from '../../contracts/run/run-message.ts'

/** What a run is asked: its task, with what people said to it while it worked. */
export const withMessages = (task: string, messages: readonly RunMessage[] = []): string =>
  [task, ...messages.map(({ text }) => text)].join('\n\n')
