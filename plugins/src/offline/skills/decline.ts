import { note } from '../question/cited-sentence.ts'
import type { Skill } from '../skill.ts'

const POLITE =
  /^(?:(?:please|pls|plz|kindly|now|just|then|also|hey|hi|hello|ok(?:ay)?|so|go ahead and|let'?s|(?:can|could|would|will) you|i(?:'d| would)? (?:want|need|like)(?: you)? to|you (?:should|must|have to|need to))[,:]?\s+)+/i
/** Verbs at the beginning of an order to change, run or make something. */
const ORDER =
  /^(?:use\b.{1,200}\binstead|fix|repair|debug|implement|refactor|rename|edit|modify|change|update|upgrade|downgrade|bump|add(?! up\b| \d)|remove|delete|replace|insert|append|prepend|rewrite|migrate|convert|translate|optimi[sz]e|improve|simplify|clean up|install|uninstall|deploy|publish|commit|rebase|revert|execute|run|launch|restart|generate|draft|compose|develop|scaffold|create|make|write|enable|disable|configure|download|send|move|set up)\s+\S/i
/** Words that are nouns as often: an order only before what they are done to. */
const NOUN_OR_ORDER =
  /^(?:build|compile|test|release|ship|format|reformat|lint|start|stop|patch|port|push|merge|design|document|resolve|solve|apply|extract|split|set|turn|switch|use)\s+(?:(?:the|this|that|it|them|a|an|all|my|our|its|everything|every|each|these|those|some|on|off)\b|\S*[/._`"'-]\S)/i
/** What can be gathered from what the workspace says. */
const GATHERED =
  /^(?:write|create|make|generate|draft|compose|run)\s+(?:up\s+)?(?:me\s+)?(?:(?:a|an|the|one|some|short|brief|quick|simple|full|complete|detailed|concise|one-line|final|combined|joint|\w+-sentence|markdown|bullet|bulleted)\s+)*(?:summar(?:y|ies)|overviews?|lists?|tables?|descriptions?|outlines?|explanations?|reports?|answers?|comparisons?|inventor(?:y|ies)|introductions?|search|query|count)\b/i
/**
 * An order, in the first line of a task, to change, run or make something: that needs a language model. Orders that name
 * a tool, and calculations, are taken by the skills before it.
 */
export const decline: Skill = {
  id: 'decline',
  asks: ({ text }) => toClauses(text.trimStart().split('\n')[0] ?? '').some(isOrder),
  // biome-ignore lint/correctness/useYield: it looks at nothing
  *work() {
    return { parts: [note(NEEDS_MODEL)], missing: true }
  },
}

const NEEDS_MODEL =
  'I cannot edit files or run commands, and write nothing of my own; that needs a language model. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model with --provider or --model; `svc doctor` finds model servers of this machine.'

/** The sentences of a line, and what follows "then" or "and" in those that ask no question. */
function toClauses(line: string): string[] {
  return line.split(/(?<=[.?!;])\s+/).flatMap((sentence) => {
    const parts = sentence.split(/(?:,|(?<!\s))\s+(?:and then|then|and|&)\s+/)
    const isAsking = /\b(?:how|what|which|where|who|why|when|whether|that|to)\b/i.test(parts[0] ?? '')
    return isAsking ? [sentence] : [sentence, ...parts.slice(1)]
  })
}

function isOrder(clause: string): boolean {
  const order = clause.replace(POLITE, '')
  const isAsked = order === clause && clause.trimEnd().endsWith('?')
  return !isAsked && (ORDER.test(order) || NOUN_OR_ORDER.test(order)) && !GATHERED.test(order)
}
