export const MAP_LANGUAGES = ['fr', 'en', 'de'] as const;
export type MapLanguage = (typeof MAP_LANGUAGES)[number];
type Names = Readonly<Record<MapLanguage, string>>;

/** Areas that the data names without a number of ISO 3166-1. */
export const UNNUMBERED: Readonly<Record<string, Names>> = {
  Kosovo: { fr: 'Kosovo', en: 'Kosovo', de: 'Kosovo' },
  'N. Cyprus': { fr: 'Chypre du Nord', en: 'Northern Cyprus', de: 'Nordzypern' },
  Somaliland: { fr: 'Somaliland', en: 'Somaliland', de: 'Somaliland' },
};

/** Countries whose short name is the common one. */
export const SHORT_NAMED = ['HK', 'MO', 'PS'];

/** Parts of cities that the data take for cities. */
export const NOT_CITIES = ['Brooklyn', 'Queens', 'Manhattan', 'The Bronx', 'Al Başrah al Qadīmah', 'Camayenne'];

/** The data's name, with its country → English, French, German. Other cities have the same name in all three. */
const CITIES = `
Abu Dhabi AE|Abu Dhabi|Abou Dabi|Abu Dhabi
Accra GH|Accra|Accra|Accra
Addis Ababa ET|Addis Ababa|Addis-Abeba|Addis Abeba
Aleppo SY|Aleppo|Alep|Aleppo
Alexandria EG|Alexandria|Alexandrie|Alexandria
Algiers DZ|Algiers|Alger|Algier
Andorra la Vella AD|Andorra la Vella|Andorre-la-Vieille|Andorra la Vella
Antwerpen BE|Antwerp|Anvers|Antwerpen
Ashgabat TM|Ashgabat|Achgabat|Aschgabat
Asmara ER|Asmara|Asmara|Asmara
Athens GR|Athens|Athènes|Athen
Baghdad IQ|Baghdad|Bagdad|Bagdad
Baku AZ|Baku|Bakou|Baku
Barcelona ES|Barcelona|Barcelone|Barcelona
Basrah IQ|Basra|Bassora|Basra
Beijing CN|Beijing|Pékin|Peking
Beirut LB|Beirut|Beyrouth|Beirut
Belgrade RS|Belgrade|Belgrade|Belgrad
Bern CH|Bern|Berne|Bern
Bishkek KG|Bishkek|Bichkek|Bischkek
Bogotá CO|Bogotá|Bogota|Bogotá
Brasília BR|Brasília|Brasilia|Brasília
Brussels BE|Brussels|Bruxelles|Brüssel
Bucharest RO|Bucharest|Bucarest|Bukarest
Cairo EG|Cairo|Le Caire|Kairo
Cape Town ZA|Cape Town|Le Cap|Kapstadt
Chisinau MD|Chișinău|Chisinau|Chișinău
Copenhagen DK|Copenhagen|Copenhague|Kopenhagen
Damascus SY|Damascus|Damas|Damaskus
Delhi IN|Delhi|Delhi|Delhi
Dhaka BD|Dhaka|Dacca|Dhaka
Djibouti DJ|Djibouti|Djibouti|Dschibuti
Dresden DE|Dresden|Dresde|Dresden
Dubai AE|Dubai|Dubaï|Dubai
Dushanbe TJ|Dushanbe|Douchanbé|Duschanbe
Edinburgh GB|Edinburgh|Édimbourg|Edinburgh
Florence IT|Florence|Florence|Florenz
Fès MA|Fez|Fès|Fès
Frankfurt am Main DE|Frankfurt|Francfort|Frankfurt am Main
Geneva CH|Geneva|Genève|Genf
Genoa IT|Genoa|Gênes|Genua
Giza EG|Giza|Gizeh|Gizeh
Guatemala City GT|Guatemala City|Guatemala|Guatemala-Stadt
Hamburg DE|Hamburg|Hambourg|Hamburg
Hanoi VN|Hanoi|Hanoï|Hanoi
Hannover DE|Hanover|Hanovre|Hannover
Havana CU|Havana|La Havane|Havanna
Ho Chi Minh City VN|Ho Chi Minh City|Hô-Chi-Minh-Ville|Ho-Chi-Minh-Stadt
Isfahan IR|Isfahan|Ispahan|Isfahan
Istanbul TR|Istanbul|Istanbul|Istanbul
Jeddah SA|Jeddah|Djeddah|Dschidda
Jerusalem IL|Jerusalem|Jérusalem|Jerusalem
Juba SS|Juba|Djouba|Juba
Kabul AF|Kabul|Kaboul|Kabul
Karachi PK|Karachi|Karachi|Karatschi
Kathmandu NP|Kathmandu|Katmandou|Kathmandu
Kazan RU|Kazan|Kazan|Kasan
Khartoum SD|Khartoum|Khartoum|Khartum
Kharkiv UA|Kharkiv|Kharkiv|Charkiw
Kraków PL|Kraków|Cracovie|Krakau
Krasnoyarsk RU|Krasnoyarsk|Krasnoïarsk|Krasnojarsk
Kuwait City KW|Kuwait City|Koweït|Kuwait-Stadt
Kyiv UA|Kyiv|Kyiv|Kyjiw
Köln DE|Cologne|Cologne|Köln
Leipzig DE|Leipzig|Leipzig|Leipzig
Lisbon PT|Lisbon|Lisbonne|Lissabon
Ljubljana SI|Ljubljana|Ljubljana|Ljubljana
London GB|London|Londres|London
Luxembourg LU|Luxembourg|Luxembourg|Luxemburg
Lviv UA|Lviv|Lviv|Lwiw
Male MV|Malé|Malé|Malé
Manama BH|Manama|Manama|Manama
Manila PH|Manila|Manille|Manila
Marseille FR|Marseille|Marseille|Marseille
Mecca SA|Mecca|La Mecque|Mekka
Medina SA|Medina|Médine|Medina
Mexico City MX|Mexico City|Mexico|Mexiko-Stadt
Milan IT|Milan|Milan|Mailand
Mogadishu SO|Mogadishu|Mogadiscio|Mogadischu
Monaco MC|Monaco|Monaco|Monaco
Montréal CA|Montreal|Montréal|Montreal
Moscow RU|Moscow|Moscou|Moskau
Mosul IQ|Mosul|Mossoul|Mossul
Munich DE|Munich|Munich|München
Muscat OM|Muscat|Mascate|Maskat
Naples IT|Naples|Naples|Neapel
Nay Pyi Taw MM|Naypyidaw|Naypyidaw|Naypyidaw
New Delhi IN|New Delhi|New Delhi|Neu-Delhi
New York City US|New York|New York|New York
Nice FR|Nice|Nice|Nizza
Nicosia CY|Nicosia|Nicosie|Nikosia
Nizhniy Novgorod RU|Nizhny Novgorod|Nijni Novgorod|Nischni Nowgorod
Novosibirsk RU|Novosibirsk|Novossibirsk|Nowosibirsk
Nouakchott MR|Nouakchott|Nouakchott|Nouakchott
Nur-Sultan KZ|Astana|Astana|Astana
Nürnberg DE|Nuremberg|Nuremberg|Nürnberg
Odessa UA|Odesa|Odessa|Odessa
Osaka JP|Osaka|Osaka|Osaka
Palermo IT|Palermo|Palerme|Palermo
Panamá PA|Panama City|Panama|Panama-Stadt
Philadelphia US|Philadelphia|Philadelphie|Philadelphia
Porto PT|Porto|Porto|Porto
Prague CZ|Prague|Prague|Prag
Pretoria ZA|Pretoria|Pretoria|Pretoria
Pyongyang KP|Pyongyang|Pyongyang|Pjöngjang
Québec CA|Quebec City|Québec|Québec
Reykjavík IS|Reykjavík|Reykjavik|Reykjavík
Riyadh SA|Riyadh|Riyad|Riad
Rome IT|Rome|Rome|Rom
Rostov-na-Donu RU|Rostov-on-Don|Rostov-sur-le-Don|Rostow am Don
Saint Petersburg RU|Saint Petersburg|Saint-Pétersbourg|Sankt Petersburg
Sanaa YE|Sanaa|Sanaa|Sanaa
Santo Domingo DO|Santo Domingo|Saint-Domingue|Santo Domingo
Sevilla ES|Seville|Séville|Sevilla
Seoul KR|Seoul|Séoul|Seoul
Shanghai CN|Shanghai|Shanghai|Shanghai
Singapore SG|Singapore|Singapour|Singapur
Skopje MK|Skopje|Skopje|Skopje
Strasbourg FR|Strasbourg|Strasbourg|Straßburg
Stuttgart DE|Stuttgart|Stuttgart|Stuttgart
Taipei TW|Taipei|Taipei|Taipeh
Tashkent UZ|Tashkent|Tachkent|Taschkent
Tbilisi GE|Tbilisi|Tbilissi|Tiflis
Tehran IR|Tehran|Téhéran|Teheran
The Hague NL|The Hague|La Haye|Den Haag
Thessaloníki GR|Thessaloniki|Thessalonique|Thessaloniki
Tokyo JP|Tokyo|Tokyo|Tokio
Turin IT|Turin|Turin|Turin
Tripoli LY|Tripoli|Tripoli|Tripolis
Tunis TN|Tunis|Tunis|Tunis
Ulan Bator MN|Ulaanbaatar|Oulan-Bator|Ulaanbaatar
Valencia ES|Valencia|Valence|Valencia
Valletta MT|Valletta|La Valette|Valletta
Vatican City VA|Vatican City|Vatican|Vatikanstadt
Vienna AT|Vienna|Vienne|Wien
Vilnius LT|Vilnius|Vilnius|Vilnius
Volgograd RU|Volgograd|Volgograd|Wolgograd
Warsaw PL|Warsaw|Varsovie|Warschau
Washington, D.C. US|Washington, D.C.|Washington|Washington, D.C.
Wrocław PL|Wrocław|Wrocław|Breslau
Yekaterinburg RU|Yekaterinburg|Iekaterinbourg|Jekaterinburg
Yerevan AM|Yerevan|Erevan|Jerewan
Zagreb HR|Zagreb|Zagreb|Zagreb
Zaragoza ES|Zaragoza|Saragosse|Saragossa
Zürich CH|Zurich|Zurich|Zürich
`;

const byCity = new Map(
  CITIES.trim()
    .split('\n')
    .map((line): [string, Names] => {
      const [key = '', en = '', fr = '', de = ''] = line.split('|');
      return [key, { en, fr, de }];
    }),
);

export const cityName = (name: string, country: string, language: MapLanguage): string =>
  byCity.get(`${name} ${country}`)?.[language] ?? name;
