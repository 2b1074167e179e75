/**
 * Finds regular expressions whose time grows faster than the text they are tried on.
 *
 * The expression is read as an automaton. Where a text leads from one loop into another, and keeps both of them going, an
 * engine that backtracks tries every way to divide the text between them (Weber and Seidl, 1991). Each such text is then
 * tried: only an expression that is slow indeed is reported.
 */
import { RegExpParser } from '@eslint-community/regexpp'

/** Characters that stand for all: ASCII, and some that only classes of Unicode tell apart. */
const CHARACTERS = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .concat([...'éßÉ中٣²ǅ\u00a0\u2028’“”–…€𝒳😀\u0301'])
const isWord = (character) => /\w/.test(character)
/** What stood before: nothing, the end of a line, a character of a word, another. */
const [START, LINE, WORD, OTHER] = [0, 1, 2, 3]
/** What has to follow: anything, a character of a word, none of a word, the end of a line, nothing. */
const [ANY, TO_WORD, TO_OTHER, TO_LINE, TO_END] = [0, 1, 2, 3, 4]
const LONGEST = 60_000
const MANY_MS = 60
const MOST_STEPS = 3_000

/**
 * @param source of the expression
 * @param flags of it
 * @returns the text that it is slow on, as `{ prefix, pump, suffix }`; undefined where none was found
 */
export function findSlowText(source, flags) {
  const automaton = toAutomaton(source, flags)
  const regex = new RegExp(source, flags)
  for (const { prefix, pump } of pumpsOf(automaton))
    for (const suffix of ['\u0000', '', '!', '\n', 'a', '\n\u0000'])
      if (isSlow(regex, { prefix, pump, suffix })) return { prefix, pump, suffix }
  return undefined
}

/** The text of an attack, with its pump repeated. */
const toText = ({ prefix, pump, suffix }, length) => prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix

/** Whether twice the text takes far more than twice the time, from the length on at which it takes any. */
function isSlow(regex, attack) {
  const once = (length) => {
    const text = toText(attack, length)
    regex.lastIndex = 0
    const started = performance.now()
    if (regex.global || regex.sticky) for (let found = 0; found < 3 && regex.test(text); found++);
    else regex.test(text)
    return performance.now() - started
  }
  const { pump } = attack
  // By one at first: where the time doubles with each, a few more would never end.
  for (let times = 8; times * pump.length <= LONGEST; times = times < 48 ? times + 1 : times * 2) {
    const length = times * pump.length
    if (once(length) < MANY_MS * (length / LONGEST)) continue
    // Once may be chance: other programs run too.
    if (Math.min(once(length), once(length), once(length)) > MANY_MS) return true
  }
  return false
}

function toAutomaton(source, flags) {
  const hasI = flags.includes('i') ? 'i' : ''
  const unicode = flags.includes('v') ? 'v' : flags.includes('u') ? 'u' : ''
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: unicode === 'u',
    unicodeSets: unicode === 'v',
  })
  /** Per state: what can be read, and what can be assumed, to come to another. */
  const reads = []
  const jumps = []
  const state = () => {
    reads.push([])
    jumps.push([])
    return reads.length - 1
  }
  const jump = (from, to, assertion) => jumps[from].push({ to, assertion })
  const atoms = new Map()
  const atomOf = (raw) => {
    if (!atoms.has(raw)) {
      const one = new RegExp(`^(?:${raw})$`, hasI + (unicode || 'u'))
      atoms.set(
        raw,
        CHARACTERS.map((character) => one.test(character)),
      )
    }
    return raw
  }
  const dotAll = flags.includes('s')
  const build = (node, from) => {
    switch (node.type) {
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup': {
        const end = state()
        for (const alternative of node.alternatives) jump(build(alternative, from), end)
        return end
      }
      case 'Alternative':
        return node.elements.reduce((at, element) => build(element, at), from)
      case 'Quantifier': {
        let at = from
        if (node.min > 0) at = build(node.element, at)
        if (node.max === Number.POSITIVE_INFINITY) {
          const loop = state()
          jump(at, loop)
          jump(build(node.element, loop), loop)
          return loop
        }
        // A number of repetitions is a constant; twice is enough to see what one does to the next.
        if (node.max > node.min) {
          const end = state()
          jump(at, end)
          jump(build(node.element, at), end)
          return end
        }
        return at
      }
      case 'Assertion': {
        if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
          for (const alternative of node.alternatives) build(alternative, from)
          return from
        }
        const end = state()
        jump(from, end, node.kind === 'word' ? (node.negate ? 'inside' : 'border') : node.kind)
        return end
      }
      case 'Backreference':
        return from
      default: {
        const end = state()
        const raw = node.type === 'CharacterSet' && node.kind === 'any' ? (dotAll ? '[^]' : '.') : node.raw
        reads[from].push({ atom: atomOf(raw === '[^]' && unicode === 'v' ? '[\\s\\S]' : raw), to: end })
        return end
      }
    }
  }
  const first = state()
  if (!flags.includes('y')) reads[first].push({ atom: atomOf('[\\s\\S]'), to: first })
  build(pattern, first)
  return { first, reads, jumps, atoms, isMultiline: flags.includes('m') }
}

/** The texts that keep two loops going, the second of which can be reached from the first by them. */
function* pumpsOf({ first, reads, jumps, atoms, isMultiline }) {
  const classes = classesOf(atoms)
  const kindOf = ({ character }) => (character === '\n' ? LINE : isWord(character) ? WORD : OTHER)
  const allows = (need, character) =>
    need === ANY ||
    (need === TO_WORD && isWord(character)) ||
    (need === TO_OTHER && !isWord(character)) ||
    (need === TO_LINE && character === '\n')
  const ids = new Map()
  const nodes = []
  const nodeOf = (at, before, need) => {
    const key = `${at} ${before} ${need}`
    if (!ids.has(key)) {
      ids.set(key, nodes.length)
      nodes.push({ at, before, need, next: undefined })
    }
    return ids.get(key)
  }
  const needAfter = (assertion, before, need) => {
    const both = (other) => (need === ANY || need === other ? other : undefined)
    switch (assertion) {
      case undefined:
        return need
      case 'start':
        return before === START || (isMultiline && before === LINE) ? need : undefined
      case 'end':
        return both(isMultiline ? TO_LINE : TO_END)
      case 'border':
        return both(before === WORD ? TO_OTHER : TO_WORD)
      default:
        return both(before === WORD ? TO_WORD : TO_OTHER)
    }
  }
  const edgesOf = (id) => {
    const node = nodes[id]
    if (node.next !== undefined) return node.next
    const edges = new Map()
    const seen = new Set()
    const open = [{ at: node.at, need: node.need }]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const key = `${one.at} ${one.need}`
      if (seen.has(key)) continue
      seen.add(key)
      for (const { to, assertion } of jumps[one.at]) {
        const need = needAfter(assertion, node.before, one.need)
        if (need !== undefined) open.push({ at: to, need })
      }
      for (const { atom, to } of reads[one.at])
        for (const [index, group] of classes.entries())
          if (group.atoms.has(atom) && allows(one.need, group.character)) {
            const target = nodeOf(to, kindOf(group), ANY)
            edges.set(`${index} ${target}`, { index, target })
          }
    }
    node.next = [...edges.values()]
    return node.next
  }
  const start = nodeOf(first, START, ANY)
  /** The shortest text that leads to each node; the loop goes on with those that it adds. */
  const prefixes = new Map([[start, '']])
  for (const [id, prefix] of prefixes)
    for (const { index, target } of edgesOf(id))
      if (!prefixes.has(target)) prefixes.set(target, prefix + classes[index].character)
  const next = nodes.map((_, id) => edgesOf(id))
  const byClass = next.map((edges) => {
    const targets = classes.map(() => [])
    for (const { index, target } of edges) targets[index].push(target)
    return targets
  })
  const loops = componentsOf(next)
  // Any node of the first loop will do: a text that goes round it passes them all.
  const firsts = new Map([...loops].map(([id, loop]) => [loop, id]))
  for (const p of firsts.values()) {
    const reached = reachedFrom(p, next)
    for (const q of loops.keys()) {
      if (!reached.has(q) || (p === q && !isAmbiguous(p, next))) continue
      for (const pump of wordsOf(p, q, byClass, loops, classes)) yield { prefix: prefixes.get(p), pump }
    }
  }
}

function reachedFrom(id, next) {
  const reached = new Set([id])
  for (const one of reached) for (const { target } of next[one]) reached.add(target)
  return reached
}

/** Characters that no part of the expression tells apart, one of each. */
function classesOf(atoms) {
  const classes = new Map()
  for (const [position, character] of CHARACTERS.entries()) {
    const has = [...atoms].filter(([, matches]) => matches[position]).map(([atom]) => atom)
    const key = `${has.join('\n')} ${character === '\n'} ${isWord(character)}`
    if (has.length > 0 && !classes.has(key)) classes.set(key, { character, atoms: new Set(has) })
  }
  return [...classes.values()]
}

/** The nodes that a text can come back to, each with the number of its loop. */
function componentsOf(edges) {
  const [order, low, stack, on, loops] = [[], [], [], new Set(), new Map()]
  let counter = 0
  for (let root = 0; root < edges.length; root++) {
    if (order[root] !== undefined) continue
    const work = [{ id: root, next: undefined, i: 0 }]
    while (work.length > 0) {
      const top = work.at(-1)
      if (top.next === undefined) {
        order[top.id] = low[top.id] = counter++
        stack.push(top.id)
        on.add(top.id)
        top.next = edges[top.id].map(({ target }) => target)
      }
      const target = top.next[top.i++]
      if (target !== undefined) {
        if (order[target] === undefined) work.push({ id: target, next: undefined, i: 0 })
        else if (on.has(target)) low[top.id] = Math.min(low[top.id], order[target])
        continue
      }
      work.pop()
      if (work.length > 0) low[work.at(-1).id] = Math.min(low[work.at(-1).id], low[top.id])
      if (low[top.id] !== order[top.id]) continue
      const members = []
      let member
      do {
        member = stack.pop()
        on.delete(member)
        members.push(member)
      } while (member !== top.id)
      if (members.length > 1 || top.next.includes(top.id)) for (const id of members) loops.set(id, order[top.id])
    }
  }
  return loops
}

/** Whether one text leads from a node back to it in two ways. */
function isAmbiguous(p, next) {
  const seen = new Set()
  const open = [[p, p, false]]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [a, b, hasParted] = one
    for (const left of next[a])
      for (const right of next[b]) {
        if (left.index !== right.index) continue
        const parted = hasParted || left.target !== right.target
        if (parted && left.target === p && right.target === p) return true
        const key = (left.target * next.length + right.target) * 2 + (parted ? 1 : 0)
        if (seen.has(key)) continue
        seen.add(key)
        open.push([left.target, right.target, parted])
      }
  }
  return false
}

/** Texts that lead p to p, p to q and q to q: the shortest for each first character. */
function* wordsOf(p, q, byClass, loops, classes) {
  const size = byClass.length
  const inLoop = (targets, like) => targets.filter((target) => loops.get(target) === loops.get(like))
  for (let first = 0; first < classes.length; first++) {
    const seen = new Set()
    const open = [{ a: p, b: p, c: q, word: '' }]
    for (let i = 0; i < open.length && i < MOST_STEPS; i++) {
      const { a, b, c, word } = open[i]
      let found
      for (let index = 0; index < classes.length; index++) {
        if (word === '' && index !== first) continue
        for (const left of inLoop(byClass[a][index], p))
          for (const right of inLoop(byClass[c][index], q))
            for (const middle of byClass[b][index]) {
              const longer = word + classes[index].character
              if (left === p && middle === q && right === q) found ??= longer
              const key = (left * size + middle) * size + right
              if (seen.has(key)) continue
              seen.add(key)
              open.push({ a: left, b: middle, c: right, word: longer })
            }
      }
      if (found === undefined) continue
      yield found
      break
    }
  }
}
