import { type Call, toPlainText } from '../../../text/calls/call.ts'

/** Of what was recalled, a record that no person has said. */
const REMEMBERED = /^- \[[\d-]{10}, (?!user, \w+\]).*$/gm

/** What shows nothing of what it says, though it may stand in a result: what the agent called with, and what a model remembers. */
export const ownWords = ({ tool, args, text }: Call): string =>
  [toPlainText(args), ...(tool === 'recall' ? (text.match(REMEMBERED) ?? []) : [])].join('\n')
