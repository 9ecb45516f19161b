/** What a line may be, and how lines are searched. */
export { type MessageLimits, messageText, oneLine, searchTerms, termsText } from './input-text.ts'
export {
  type Place,
  type SearchPhrase,
  findPlaces,
  indexedText,
  indexedWords,
  searchForms,
  searchPhrase,
} from './search-words.ts'
