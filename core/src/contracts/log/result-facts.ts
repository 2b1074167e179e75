import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Count, Text, Texts } from '../schema.ts'

const seq = Count('number of the event that ended the call')
const tool = Type.String()

/** A program that ran. */
export const ProgramFact = Type.Object({
  seq,
  tool,
  command: Text('as it was called; at most 300 characters'),
  exitCode: Type.Optional(Type.Integer({ description: 'missing where the tool told none' })),
  editedAfter: Type.Boolean({ description: 'true: a file was changed after it had ended' }),
})
export type ProgramFact = Static<typeof ProgramFact>

/** A file as the run left it: all changes of one file are one fact. */
export const FileFact = Type.Object({
  seq,
  path: Text('as the tool was given it'),
  change: Type.Enum(['created', 'changed', 'deleted', 'moved']),
  from: Type.Optional(Text('of a moved file, where it was')),
  added: Type.Optional(Count('lines; missing where no tool showed them')),
  removed: Type.Optional(Count('lines; missing where no tool showed them')),
})
export type FileFact = Static<typeof FileFact>

/** Something that went to the outside: a message, a request, a call of a tool that changes something elsewhere. */
export const SentFact = Type.Object({
  seq,
  tool,
  target: Type.Optional(Text('address, host or name that the arguments give')),
  status: Type.Optional(Type.Union([Type.String(), Type.Integer()], { description: 'what the other side answered' })),
})
export type SentFact = Static<typeof SentFact>

/** A call that did not do what was asked. */
export const MissedFact = Type.Object({
  seq: Type.Optional(seq),
  tool,
  target: Type.Optional(Text('path, command, address or name that the arguments give')),
  why: Type.Enum(['denied', 'failed', 'in doubt'], {
    description: '`in doubt`: it was begun, and nobody knows whether it took effect',
  }),
  reason: Text('of the one who refused, or the error'),
})
export type MissedFact = Static<typeof MissedFact>

/**
 * What a run did, from its log alone: nothing here rests on what an agent says of itself.
 */
export const ResultFacts = Type.Object({
  calls: Type.Optional(Count('tool calls that the run made; missing in results of versions that did not count them')),
  programs: Type.Array(ProgramFact),
  files: Type.Array(FileFact),
  sent: Type.Array(SentFact),
  missed: Type.Array(MissedFact),
  untouched: Texts(
    'paths, commands, addresses and URLs that the answer names, and that no call of this run touched; at most 100',
  ),
})
export type ResultFacts = Static<typeof ResultFacts>
