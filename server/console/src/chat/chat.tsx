import { useViewTitle } from '../parts/view-title.ts'

/** A conversation, and the others beside it. */
export function Chat() {
  useViewTitle('Chat')
  return <h1>Chat</h1>
}
