import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from '../../schema.ts'

/** Something untrusted that was read for an answer. */
export const TaintSource = Type.Object({
  from: Type.Enum(['given', 'memory', 'folder', 'tool'], {
    description:
      'given: it came with the run; memory: it was recalled; folder: a file of a folder that nobody trusts; tool: what a tool brought from outside, or from a file that a tainted agent wrote',
  }),
  name: Text('what was given, the id of the memory, or the id of the tool'),
  target: Type.Optional(Text('what the tool was called about, such as a path or an address')),
})
export type TaintSource = Static<typeof TaintSource>
