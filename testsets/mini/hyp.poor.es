La ciudad de Brenfeld va abrir su primero nuevo tram línea en cuarenta años sobre 12 mayo, el alcalde anunció en martes.
La 7.4-kilómetro ruta enlaza la principal estación con la universidad hospital y sirve once stops.
Construcción costo 186 millón euros, sobre 12% más que planeado, mayormente porque de subiendo acero precios.
"Nosotros hemos esperado largo suficiente," dijo Karin Albers, quien tiene campaña para la línea desde 1998.
Después el más seco muelle desde discos empezaron en 1881, granjeros en la región esperan perder hasta un tercero de su trigo cosecha.
Varios municipios tienen ya prohibido la regando de céspedes entre 8 a.m. y 8 p.m.
Lluvia es pronóstico para el fin de semana, pero meteorólogos avisan que no será bastante a rellenar los reservorios.
Harina precios rosa por 4.8% en junio solo.
El museo sobre el Danube está mostrando 120 pinturas desde su depósito que nunca han sido visto en publico antes.
Entre ellos son dos temprano paisajes de un pintor quien nombre los curadores todavía no saben.
Admisión es 9 euros, 6.50 a la reducida tasa; sobre el primer domingo de cada mes es libre.
La exhibición corre hasta 17 noviembre y entonces moverá en a Linz.
- ¿Hiciste cerrar la puerta? - Yo pensé que tuviste.
Grande. Así ha sido abierto toda la noche.
Cuelga en – ¿oíste que?
Quien está abajo allí: he obtenido un perro, y él no ha tenido su cena todavía!
Tú tienes que ser bromeando me. ¿Cuarenta porciones por siete en punto?
- ¿Dónde son las onions? - En la nevera, detrás la leche. - ¿Quién pone onions en la nevera?
No solo parar allí, agarrar un cuchillo!
Si la sopa quemaduras, es en ti.
- Mamá, ¿cómo lejos es a la luna? - Sobre 384,000 kilómetros, dulce corazón.
¿Y cuánto largo eso tomaría sobre mi bici?
Bien… si nunca paraste para un pequeñito, sobre tres años.
Entonces yo mejor paquete un lote de sandwiches.
He tenido estos headphones para tres meses ahora y visto ellos por al menos dos horas un día.
El sonido es soberbio para el precio, y la pila realmente hace última las prometidas 30 horas.
Justo no esperes ellos sobrevivir una gota sobre concreto: mina agrietada la primera vez.
Lindo pequeño hotel cinco minutos de la playa, corrido por una familia quien no pudo haber sido más tipo.
Desayuno era plentiful, aunque el café probó como si se había brewed el día antes.
Nosotros pagamos €89 por noche y iría atrás mañana.
Dos estrellas, porque ello limpia bueno tan largo no consigue perdido bajo el sofá.
El app quiere mi locación, mis contactos y mi dato de nacimiento – para un vacío limpiador!
Cliente servicio replicó después nueve días con un link al manual libro.
Nosotros celebró mi abuela noventa cumpleaños aquí, y ellos incluso sorprendido ella con un cake.
El arroz era perfecto, los camarones eran fresco, y las porciones alimentaría un equipo de football.
Tú tienes que libro pozo en avance, aunque, y parque cerca es un nightmare.
Podría no abierto “%s”: el fichero es siendo usado por otro programa.
Escoger File > Save As… a salvar una copia bajo un diferente nombre.
%d de %d ficheros copió (%s remaining)
¿Eres seguro quieres borrar esta carpeta y todo en eso? Este no puede ser undone.
Su password debe ser al menos 12 caracteres largo y contiene un número.
Hemos mandado un seis-dígito código para %s. Es valida para 10 actas.
Girar en notificaciones bajo Settings > Privacy.
Usted ha sido firmado fuera porque usted era inactivo para más de %d minutos.
Versión 4.2 es disponible. ¿Restart ahora a instalar la update?
Arrastrar fotos aquí o click “Browse” a seleccionar ellos (JPEG o PNG, arriba a 20 MB cada).
El impresora es fuera de papel. Carga A4 papel en bandeja 2 y prensa OK.
Gracias para ayudando nosotros traducir este app!
