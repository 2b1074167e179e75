import { toSafe } from '../../frame/io.ts'
import { wrong } from '../../line/wrong.ts'
import { rewind, undoLast } from '../rewind.ts'
import { sayChanges, sayFiles } from './changes.ts'
import type { Chat, Settings } from './chat.ts'
import { copyAnswer } from './copy.ts'
import { sayCost } from './cost.ts'
import { sayHelp } from './help.ts'
import { chooseModel, chooseTopology, readBudget } from './settings.ts'
import { AT_TERMINAL } from './specs.ts'
import { goOnWith, resume } from './threads.ts'

type Own = (chat: Chat, args: string) => unknown

const OWN: Readonly<Record<string, Own>> = {
  model: async (chat, args) => set(chat, await chooseModel(chat, args)),
  topology: async (chat, args) => set(chat, await chooseTopology(chat, args)),
  budget: (chat, args) => set(chat, readBudget(chat, args)),
  undo: undoLast,
  rewind: async (chat, args) => {
    chat.threadId = await rewind(chat, args)
  },
  cost: sayCost,
  help: sayHelp,
  diff: sayChanges,
  files: sayFiles,
  resume,
  new: async (chat) => goOnWith(chat, (await chat.runtime.threads.create()).id),
  details: setDetails,
  copy: copyAnswer,
  edit: ({ screen }, args) => screen?.edit(args),
}

/** A command that makes no turn; undefined where it is none of the conversation. */
export function ownCommand(chat: Chat, name: string): Own | undefined {
  if (chat.screen === undefined && AT_TERMINAL.has(name)) return undefined
  return Object.hasOwn(OWN, name) ? OWN[name] : undefined
}

function set(chat: Chat, settings: Settings): void {
  chat.settings = { ...chat.settings, ...settings }
  const said = Object.values(settings)
  if (said.length > 0) chat.context.io.err(`  later turns: ${toSafe(said.join(', '))}\n`)
}

function setDetails(chat: Chat, word: string): void {
  if (word !== '' && word !== 'on' && word !== 'off') throw wrong(`/details is on or off, not "${word.slice(0, 80)}"`)
  chat.hasDetails = word === '' ? !chat.hasDetails : word === 'on'
  chat.context.io.err(`  details ${chat.hasDetails ? 'on' : 'off'}\n`)
}
