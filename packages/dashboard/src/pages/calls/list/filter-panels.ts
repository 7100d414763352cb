// What the filters show when they are opened, loaded together the first time.
export { Choices } from '../../../components/filter-bar/choices.tsx';
export { DayRange, NumberRange } from './range-fields.tsx';
export { SearchedChoices } from './searched-choices.tsx';
