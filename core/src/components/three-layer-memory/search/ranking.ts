/** The constants of the ranking. */
export interface RankingConstants {
  /** BM25: how fast more of the same word stops to count. */
  k1: number
  /** BM25: how far long texts are discounted. */
  b: number
  /** How much the words of the texts one, two, ... places away in the same session count. */
  neighbours: readonly number[]
  /** Weight of the whole session's score beside the text's own. */
  session: number
  /** Factor for texts of the one author that the query names. */
  author: number
  /** Factor for texts that end in a question mark: they ask for what the query asks for, and seldom hold it. */
  question: number
  /** What a text gets of the score of a question by another author that stands right before it. */
  reply: number
}

/** Chosen on conversations of many months. */
export const RANKING: RankingConstants = {
  k1: 0.9,
  b: 0.4,
  neighbours: [0.5, 0.25],
  session: 0.3,
  author: 1.5,
  question: 0.85,
  reply: 0.3,
}
