/** Tasks for people who are here for the first time: each can be answered without a language model. */
export const EXAMPLES = ['Summarise README.md', 'What is this project about?', 'What is 17 * 23 + 4?'] as const
