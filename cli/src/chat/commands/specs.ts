/** What there is beside tasks, in the order in which help shows it: what follows the name, and what it does. */
export const COMMANDS: Readonly<Record<string, readonly [args: string, about: string]>> = {
  plan: ['<task>', 'show the plan of a task without running it'],
  model: ['<name>', 'the model of later turns; alone, those that are configured'],
  topology: ['<name>', 'how agents work together in later turns; AUTO lets svc choose'],
  budget: ['<tokens>', 'the soft budget of each later turn'],
  compact: ['<focus>', 'sum the conversation up, and go on from that; what was said stays readable'],
  cost: ['', 'tokens and cost of this conversation so far'],
  diff: ['', 'what the last turn changed in files'],
  undo: ['', 'put the files that the last turn changed back as they were'],
  rewind: ['<turn> files, conversation or both', 'back to where a turn had ended; 0 is the beginning'],
  files: ['', 'the files that this conversation was given, and those that it changed'],
  details: ['on|off', 'show what each call was asked and what it gave'],
  copy: ['', 'copy the last answer to the clipboard of the terminal'],
  edit: ['', 'write the next task with your editor; Ctrl-G does too'],
  resume: ['<id>', 'go on with another conversation of this folder'],
  new: ['', 'begin another conversation'],
  help: ['', 'this list'],
  exit: ['', 'leave; Ctrl-D does too'],
}

/** Commands and marks that name something of an MCP server or of the folder. */
export const MARKS: readonly (readonly [name: string, about: string])[] = [
  ['/<server>:<prompt>', 'a prompt of an MCP server, with its arguments; svc mcp test <server> shows them'],
  ['@<server>:<uri>', 'in a task: a resource of an MCP server, which comes with it'],
]

/** That work in a terminal alone, and are not named elsewhere. */
export const AT_TERMINAL: ReadonlySet<string> = new Set(['details', 'copy', 'edit'])

const SAYS = 'says it to the run, whose agents read it before their next step'

/** Keys, for help at a terminal in plain lines. */
export const PLAIN_KEYS: readonly (readonly [keys: string, about: string])[] = [
  ['Enter while a turn works', SAYS],
  ['Tab and Enter while a turn works', 'queues it as the next turn'],
]

/** Keys, for help at any other terminal. */
export const KEYS: readonly (readonly [keys: string, about: string])[] = [
  ['Ctrl-J, Alt-Enter, Shift-Enter, \\ Enter', 'a new line; pasted lines are one task'],
  ['Up, Down, Ctrl-R', 'what was asked earlier, also in other conversations'],
  ['@path', 'a file of the folder, which comes with the task; Tab completes'],
  ['Enter while a turn works', SAYS],
  ['Tab while a turn works', 'queues it as the next turn; Up takes the newest back'],
  ['Esc, Ctrl-C', 'stop the turn; what was said stays'],
  ['Ctrl-O', 'the last call of a tool, whole'],
]
