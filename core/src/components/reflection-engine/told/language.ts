import { isStopWord } from '../../../text/index.ts'
import type { Material } from '../material.ts'

/** Of Latin script, by its ranges: V8 takes 20 times as long to compile a script or `\p{L}` where case does not matter. */
const LETTERS = 'A-Za-zÀ-ÖØ-öø-ɏ'

/**
 * The few words that the rules know, in English, German, French and Japanese. What a statement is about they find by names.
 *
 * @param list words, one of which must stand by itself; those of Japanese may stand inside of others. `\p{L}` in it is a letter
 *   of Latin script
 */
export const words = (list: string): RegExp =>
  new RegExp(`(?<![${LETTERS}\\d])(?:${list.replaceAll('\\p{L}', `[${LETTERS}]`)})(?![${LETTERS}\\d])`, 'iu')

const NEGATES = String.raw`not|no|none|never|neither|nor|nothing|without|cannot|couldn|can['’]?t|won|unable|fail\p{L}*|error\p{L}*|refus\p{L}*|reject\p{L}*|den(?:y|ied|ial)\p{L}*|bounc\p{L}*|block\p{L}*|declin\p{L}*|miss(?:ing|ed)|skipp?\p{L}*|pending|queued|wait\p{L}*|running|in progress|unavailable|invalid|wrong|broken|except|nicht|kein\p{L}*|nie|ohne|fehl(?!erfrei)\p{L}*|abgelehnt|verweigert|scheiter\p{L}*|gescheitert|außer|wartet|konnte\p{L}*|pas|ne|aucun\p{L}*|jamais|sans|échou\p{L}*|échec\p{L}*|erreur\p{L}*|rejet\p{L}*|impossible|attente|sauf|\p{L}{1,20}n['’]t|❌|✗|✘|⚠|ない|ませ|失敗|拒否|エラー|未|不可|待ち`

/** Words, in lower case, by which a text says that something is so and nothing about it. */
export const TELLING: ReadonlySet<string> = new Set(
  "the a an is are has have it its it's they in of at to from and file files key keys name value values number says states reads shows sets set setting settings result results answer answers equals gives makes lists defines defined configured here following config configuration der die das den dem ein eine ist sind hat es in im von aus auf laut und datei wert werte ergebnis antwort steht beträgt lautet le la les un une est sont a il dans du de des et fichier valeur valeurs résultat vaut indique selon".split(
    ' ',
  ),
)

/** The words and figures of a text but those by which one says that something is so. */
export const toTelling = (text: string): string[] => toBare(text).filter((word) => !TELLING.has(word))

/** The words of a text in lower case, without the punctuation and marks around them; any other sign belongs to a word or is one. */
export function toBare(text: string): string[] {
  const words = text.toLowerCase().split(/[\s|=]+/)
  return words.map((word) => word.replace(EDGES, '')).filter((word) => word !== '')
}
const EDGES = /^["'`*_(:;#“”„«»]{1,8}|["'`*_),.:;“”„«»]{1,8}$/g

/** Says that something is not so, did not work or was not done. */
export const NEGATED = words(NEGATES)

/** The same, or that it is so in part or differently, may be, is planned or is asked for. */
export const DENIES = words(
  String.raw`${NEGATES}|red|only|but|however|still|yet|instead|should|would|could|will|must|may|might|can|if|once|when|expect\p{L}*|assum\p{L}*|please|to be|need\p{L}*|want\p{L}*|plan\p{L}*|leider|noch|nur|aber|offen|rot|sollte\p{L}*|würde\p{L}*|könnte\p{L}*|wird|werden|falls|wenn|bitte|mais|encore|seul\p{L}*|devrai\p{L}*|pourrai\p{L}*|si|quand|veuillez|だが|ただし|赤|[?？]|ください|べき|はず|予定|見込`,
)

const TAKEN_AWAY = String.raw`removed|deleted|dropped|erased|gone|cut|shortened|stripped|entfernt|gelöscht|gestrichen|gekürzt|supprimé\p{L}*|effacé\p{L}*|enlevé\p{L}*|retiré\p{L}*`

/** Says that something was changed, sent or set in motion: forms of the past only. */
export const DONE = words(
  String.raw`added|adapted|appended|applied|assigned|booked|bumped|cancell?ed|changed|closed|committed|converted|corrected|created|deployed|disabled|done|downloaded|edited|emailed|enabled|exported|filled|fixed|formatted|forwarded|generated|informed|inserted|installed|let (?:[^.,;]{1,40} )?know|lowered|mailed|marked|merged|messaged|moved|noted|notified|ordered|paid|posted|published|pushed|raised|refunded|renamed|repaired|replaced|restarted|rewritten|rewrote|saved|scheduled|sent|split|stored|submitted|switched|tagged|transferred|turned|uploaded|updated|went out|wrote|written|translated|inlined|implemented|hinzugefügt|ergänzt|geändert|ersetzt|umbenannt|verschoben|aktualisiert|gesetzt|gestellt|erstellt|angelegt|geschrieben|angeschrieben|gespeichert|eingetragen|korrigiert|gesendet|geschickt|verschickt|versandt|benachrichtigt|informiert|gebucht|bestellt|überwiesen|storniert|geschlossen|repariert|raus|erledigt|fait(?:e|s|es)?|ajouté\p{L}*|modifié\p{L}*|remplacé\p{L}*|renommé\p{L}*|déplacé\p{L}*|mise?s? à jour|créé\p{L}*|écrit\p{L}*|enregistré\p{L}*|corrigé\p{L}*|envoyé\p{L}*|prévenu\p{L}*|informé\p{L}*|averti\p{L}*|effectué\p{L}*|réservé\p{L}*|commandé\p{L}*|annulé\p{L}*|fermé\p{L}*|publié\p{L}*|${TAKEN_AWAY}|しました|済み|完了|ておきました|削除`,
)

/** What these verbs say, and what the tool, the program or the result of a call has in its words that does it. */
export const KINDS: readonly (readonly [says: RegExp, did: RegExp])[] = [
  [words(`${TAKEN_AWAY}|削除`), /delet|remov|eras|unlink|trash|prune|clean|clear|drop|\brm\b/i],
  [words('moved|verschoben|déplacé\\p{L}*|移動'), /mov|renam|transfer|archiv|\bmv\b/i],
  [words('renamed|umbenannt|renommé\\p{L}*|改名|リネーム'), /mov|renam|\bmv\b/i],
  [
    words('created|erstellt|angelegt|créé\\p{L}*|作成'),
    /creat|writ|add|new|open|post|insert|generat|init|mkdir|touch|cop|\bcp\b|book/i,
  ],
  [
    words('sent|e?mailed|gesendet|geschickt|verschickt|versandt|envoyé\\p{L}*|送信|送り'),
    /send|sent|mail|post|messag|notif|publish|submit|push|repl|comment|invit|forward/i,
  ],
  [words('closed|geschlossen|fermé\\p{L}*|閉じ|クローズ'), /clos|resolv|done|complet|merg|finish/i],
]

export const PASSED = words(
  'pass(?:e|es|ed|ent|ing|é\\p{L}*)?|green|succe\\p{L}*|ok|fehlerfrei|bestanden|bestehen|grün|erfolgreich|durch(?=[.!,;]|$)|réuss\\p{L}*|verte?s?|成功|合格|通[っりる]|パス|✅',
)

export const ALL = words(
  'all|both|every|everyone|everybody|each|alle[nrsm]?|beide[nr]?|jede[nrs]?|tous|toutes|tout|chaque|les deux|すべて|全|両方',
)

/** Quotation marks of all kinds around some words. */
export const QUOTED =
  /“([^”\n]{1,600})”|„([^“”\n]{1,600})[“”]|«\s?([^»\n]{1,600}?)\s?»|「([^」\n]{1,300})」|"([^"\n]{1,600})"/g
const CLAUSES =
  /[;()|]|[,，](?!\d)\s?|\s[–—→-]\s|(?<!\p{L})(?:and|but|while|und|aber|während|et|mais)(?!\p{L})|[。、：]|:\s/u

/** A text without the words that it quotes. What is quoted and has one or two words is a name. */
export const withoutQuotes = (text: string): string =>
  text.replace(QUOTED, (quote) => (/\s\S+\s|=/.test(quote.slice(1, -1).trim()) || quote.length > 40 ? ' … ' : quote))

/** The parts of a statement that each tell one thing. */
export const toClauses = (text: string): string[] =>
  text.split(CLAUSES).filter((clause): clause is string => clause !== undefined && /[\p{L}\p{N}]/u.test(clause))

/** Asks for words that the answer makes itself. */
export const TEXTS = words(
  String.raw`draft\p{L}*|translat\p{L}*|compose|rephrase|proofread|suggest|propose\p{L}*|poem|story|letters?|entw[iu]rf\p{L}*|übersetz\p{L}*|vorschlag|formulier\p{L}*|brief|entschuldigung|tradui\p{L}*|rédige\p{L}*|brouillon|lettre|(?:write|prepare|give|schreib\p{L}*|écri\p{L}*)(?=[^.\n]{0,60}(?:mail|message|update|announcement|entry|changelog|notes|post|tweet|review|summary|description|nachricht|text|annonce))|下書き|翻訳|訳して|文面`,
)
/** What a clause begins with that asks for words alone, or for a look. */
const ASKS_FOR_WORDS = words(
  String.raw`explain|describe|what|how|why|who|whose|when|where|which|is|are|was|were|does|do|did|has|have|should|will|list|name|give|show|say|summari[sz]e|compare|review|find|look|check|search|read|count|calculate|compute|sort|order|rank|recommend|plan|outline|think|help|define|discuss|analy[sz]e|come|verify|test|report|research|extract|identify|estimate|determine|investigate|inspect|evaluate|predict|see|watch|answer|collect|gather|get|imagine|pretend|develop|design|shorten|simplify|erklär\p{L}*|beschreib\p{L}*|was|wie|warum|wer|wann|wo|welche\p{L}*|ist|sind|nenn\p{L}*|zeig\p{L}*|vergleich\p{L}*|schreib\p{L}*|fass\p{L}*|such\p{L}*|find\p{L}*|sag\p{L}*|rechne\p{L}*|berechne\p{L}*|lies|lese|schau\p{L}*|analysier\p{L}*|gib|mach\p{L}*|zähl\p{L}*|prüf\p{L}*|explique\p{L}*|décri\p{L}*|que|quels?|quelles?|comment|pourquoi|qui|quand|où|combien|donne\p{L}*|montre\p{L}*|écri\p{L}*|résume\p{L}*|vérifie\p{L}*|liste\p{L}*|cherche\p{L}*|trouve\p{L}*|indique\p{L}*|dis|dites|calcule\p{L}*|lis|lisez|regarde\p{L}*|fais|faites|relève\p{L}*|extrais`,
)
/** To tell somebody else is a deed. */
const TELLS = /^[Tt]ell\s(?!the\s(?!story|joke|truth)|\p{Lu})/u
const POLITE =
  /^(?:[\s"'(]|(?:please|kindly|also|then|now|and|can you|could you|would you|bitte|dann|auch|puis|ensuite)(?!\p{L}),?\s?)+/iu
/** An imperative with its object: a noun that stands first, or behind "and", is none. */
const HAS_OBJECT =
  /^\p{L}{2,}\s(?:\p{Lu}|\d|[\w/-]{1,80}\.\w|(?:the|my|our|an?|it|me|them|this|us|all|every|each|den|die|das|mir|es|le|la|les|une?)(?!\p{L}))/u
const PARTS = /,\s(?:(?:and|then|und|et)\s)?|\s(?:and|then|und|et)\s/
/** A thing that may be made in the answer, where no file or address is named. */
const MAKES = /^(?:write|make|create|generate|prepare|produce|build|add|set|turn|convert|rewrite|improve)$/
const PLACE = /@|\w\.\w{2,4}(?!\w)/
const LONGEST_TASK = 2_000

/** Whether a task asks for something to be done, not only said. */
export const asksForDeed = (material: Material): boolean =>
  material.once('asks-for-deed', () =>
    material.task.description
      .slice(0, LONGEST_TASK)
      .split(/(?<=[.!?])\s|[;\n]/)
      .some((sentence) => (sentence.split(/:\s/)[0] ?? '').split(PARTS).some(asks)),
  )

/** Whether a part of a sentence, the first one or another, begins with a verb that words alone cannot follow. */
function asks(part: string, at: number): boolean {
  const clause = part.replace(POLITE, '')
  const first = /^\p{L}{2,}(?=\s|$|[.!](?:\s|$))/u.exec(clause)?.[0].toLowerCase() ?? ''
  if (first === '' || TEXTS.test(clause) || isStopWord(first)) return false
  if (MAKES.test(first)) return PLACE.test(clause)
  const isImperative = HAS_OBJECT.test(clause) || (at === 0 && clause.split(/\s+/).length <= 3)
  return isImperative && !ASKS_FOR_WORDS.test(first) && !TELLS.test(clause)
}
